// Arms the watchdog as src/cli/process/signals.ts does and blocks JavaScript. Arguments: the plan; the addon's path; for
// those that load, a LoadSpec as v8.serialize writes it, in base64.
import { createRequire } from 'node:module';
import { deserialize } from 'node:v8';

const [plan = '', path = '', given = ''] = process.argv.slice(2);
const addon = createRequire(import.meta.url)(path);
const { watchdog } = addon;

let signals = 0;
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(name, () => {
    signals += 1;
    console.log(name);
  });
}
watchdog.arm(() => undefined);
watchdog.arm(() => undefined);

/** Milliseconds; by default for ever. */
function block(ms = Number.POSITIVE_INFINITY) {
  process.stderr.write('blocked\n');
  for (const end = performance.now() + ms; performance.now() < end; );
}

const plans = {
  /** A loop. */
  loop: () => block(),
  /** Promises that never let the event loop turn. */
  async microtasks() {
    process.stderr.write('blocked\n');
    while (true) await undefined;
  },
  /** A wait that no timer ends. */
  wait() {
    process.stderr.write('blocked\n');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  },
  /** Busy for a second, then the signal's listener runs. */
  busy() {
    block(1000);
    setTimeout(() => process.exit(signals), 2500);
  },
  /** Another program is in front. */
  paused() {
    watchdog.pause(true);
    block(3000);
    watchdog.pause(false);
    setTimeout(() => process.exit(signals), 500);
  },
  /** A clean-up that does not end. */
  limit() {
    watchdog.endWithin(9, 300);
    block();
  },
  /** A clean-up that ends in time. */
  'limit-kept'() {
    watchdog.endWithin(9, 60_000);
    process.exit(4);
  },
  /** The model thread is loading for seconds. */
  async loading() {
    await loadMany();
    block();
  },
  async 'loading-exit'() {
    process.on('exit', () => addon.shutdown());
    process.on('SIGTERM', () => process.exit(143));
    await loadMany();
    process.stderr.write('blocked\n');
  },
  /** Exit handlers block. */
  exit() {
    process.on('exit', () => block());
    process.exit(4);
  },
};

/** Starts more loads than end soon; resolves with the first. */
function loadMany() {
  const spec = deserialize(Buffer.from(given, 'base64'));
  const loads = Array.from({ length: 1500 }, () => addon.load(spec, () => {}));
  for (const load of loads) load.catch(() => undefined);
  return loads[0];
}

await plans[plan]?.();
