// Interrupts the download of a large file repeatedly, by SIGKILL, SIGTERM and SIGINT, and counts the bytes received
// twice; then runs two downloads at once. Against a local stand-in for the Hub. Needs dist/ (npm run build).
// Usage: node scripts/check/program/interrupt-pull.mjs [MB, 300] [TIMES, 10] [MB A SECOND, 8]
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  HubStandIn,
  pseudoRandomBytes,
  repository,
  sha256,
} from '../../../test/fixtures/hub/hub-stand-in.mjs';
import { ReceivedBytes } from '../../../test/fixtures/hub/received-bytes.mjs';
import { distDir } from '../../lib/project.mjs';
import { runMain, SetupError } from '../../lib/setup-error.mjs';

const SIGNALS = ['SIGKILL', 'SIGTERM', 'SIGINT'];
/** Fraction of the file that may be received twice. */
const LIMIT = 0.05;

await runMain(async () => {
  // Slow enough to interrupt.
  const [megabytes = 300, times = 10, rate = 8] = process.argv.slice(2).map(Number);
  if (![megabytes, times, rate].every(number => number > 0))
    throw new SetupError('MB, TIMES and MB A SECOND are numbers above 0');
  const weights = pseudoRandomBytes(megabytes * 1e6, 11);
  const files = {
    'config.json': '{"model_type":"llama"}',
    'tokenizer.json': '{}',
    'model.safetensors': weights,
  };
  const hub = await HubStandIn.start({ 'org/model': repository(files) });
  const home = mkdtempSync(join(tmpdir(), 'llm-host-interrupt-'));
  try {
    await interrupted(hub, home, weights, { times, bytesPerSecond: rate * 1e6 });
    await twoAtOnce(hub, home, weights, { bytesPerSecond: 4 * rate * 1e6 });
  } finally {
    await hub.close();
    rmSync(home, { recursive: true });
  }
});

async function interrupted(hub, home, weights, { times, bytesPerSecond }) {
  hub.bytesPerSecond = bytesPerSecond;
  const cache = join(home, 'interrupted');
  const received = new ReceivedBytes(join(home, 'received'), hub);
  // Points in the file, in ascending order.
  const points = Array.from({ length: times }, () => Math.random() * 0.9 + 0.05).sort((a, b) => a - b);
  for (const [index, point] of points.entries()) {
    const child = pull(hub, cache, received);
    while (received.total < point * weights.length && child.exitCode === null) await sleep(2);
    const signal = SIGNALS[index % SIGNALS.length];
    child.kill(signal);
    const [code, by] = await child.ended;
    console.log(`${signal} at ${(received.total / 1e6).toFixed(1)} MB: ${by ?? `exit ${code}`}`);
    if (code === 0) throw new SetupError('the download finished before it could be interrupted');
  }
  hub.bytesPerSecond = undefined;
  await finished(pull(hub, cache, received));
  check(cache, hub, weights, received.total, times === 1 ? '1 interruption' : `${times} interruptions`);
  const unread = hub.sent['model.safetensors'] - received.total;
  console.log(`${unread} bytes more were on their way to a program that ended before it read them`);
}

async function twoAtOnce(hub, home, weights, { bytesPerSecond }) {
  hub.bytesPerSecond = bytesPerSecond;
  const cache = join(home, 'two');
  const received = new ReceivedBytes(join(home, 'received-by-two'), hub);
  await Promise.all([finished(pull(hub, cache, received)), finished(pull(hub, cache, received))]);
  check(cache, hub, weights, received.total, 'two downloads at once');
}

function check(cache, hub, weights, received, what) {
  const { commit } = hub.repositories['org/model'];
  const file = join(cache, 'models--org--model', 'snapshots', commit, 'model.safetensors');
  const exact = sha256(readFileSync(file)) === sha256(weights);
  const twice = received - weights.length;
  const share = `${((twice / weights.length) * 100).toFixed(2)} %`;
  console.log(
    `${what}: ${exact ? 'bit-exact' : 'NOT the same'}; ${twice} of ${weights.length} bytes received twice (${share})`,
  );
  if (!exact || twice > weights.length * LIMIT)
    throw new SetupError(`${what}: wrong bytes, or too many received twice`);
}

function pull(hub, cache, received) {
  const env = {
    PATH: process.env.PATH,
    HOME: cache,
    HF_HUB_CACHE: cache,
    HF_ENDPOINT: hub.endpoint,
    ...received.env,
  };
  const child = spawn(process.execPath, [join(distDir, 'cli', 'main.js'), 'pull', 'org/model'], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child.text = '';
  child.stderr.on('data', chunk => {
    child.text += chunk;
  });
  child.ended = new Promise(resolve => child.on('close', (code, signal) => resolve([code, signal])));
  return child;
}

async function finished(child) {
  const [code] = await child.ended;
  if (code !== 0) throw new SetupError(`a pull ended with ${code}`, { output: child.text });
}
