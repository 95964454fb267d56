// Loads a tiny model, generates, and leaves the process in the middle of it. Arguments: { spec, request } as
// v8.serialize writes it, in base64; what to do; milliseconds until then. Run with the addon's path in LLM_HOST_ADDON.
import { createRequire } from 'node:module';
import { deserialize } from 'node:v8';

const [given = '', plan = '', delay = '0'] = process.argv.slice(2);
const { spec, request } = deserialize(Buffer.from(given, 'base64'));
const addon = createRequire(import.meta.url)(process.env.LLM_HOST_ADDON ?? '');
process.on('exit', () => addon.shutdown());

const later = action => setTimeout(action, Number(delay));

/** Starts a generation; resolves with its last event. */
function generate(model, options = {}) {
  return new Promise(resolve => {
    const job = model.start({ ...request, ...options }, () => {
      const last = model.take(job).at(-1);
      if (last?.type === 'end') resolve(last);
    });
  });
}

const plans = {
  /** process.exit at any moment: while loading, in prefill, while decoding. */
  exit() {
    later(() => process.exit(7));
    load().then(model => generate(model));
  },
  /** The same while the model waits for a reader that never takes. */
  async 'exit-full'() {
    const model = await load();
    model.start({ ...request, promptIds: Int32Array.of(1) }, () => {});
    later(() => process.exit(7));
  },
  throw() {
    later(() => {
      throw new Error('thrown on purpose');
    });
    load().then(model => generate(model));
  },
  /** Nothing is called to end: an idle model must not keep the process alive. */
  async idle() {
    const model = await load();
    const { reason } = await generate(model, { promptIds: Int32Array.of(1), maxTokens: 5 });
    console.log(reason);
  },
  /** Arguments whose properties throw are refused, and leave nothing behind that keeps it alive. */
  async hostile() {
    const model = await load();
    const trap = {
      get files() {
        throw new Error('thrown by a property');
      },
    };
    const attempts = [() => model.loadCache(trap), () => addon.load({ ...spec, weights: trap }, () => {})];
    for (const attempt of attempts) await attempt().catch(error => console.log(error.message));
  },
  /** A job on its way does keep it alive. */
  async 'to-the-end'() {
    const model = await load();
    generate(model, { promptIds: Int32Array.of(1) }).then(end => console.log(end.generatedTokens));
  },
  async 'after-shutdown'() {
    const model = await load();
    const ended = generate(model);
    addon.shutdown();
    addon.shutdown();
    console.log((await ended).reason);
    for (const attempt of [() => model.start(request, () => {}), () => addon.load(spec, () => {})]) {
      try {
        await attempt();
      } catch (error) {
        console.log(error.code);
      }
    }
    await model.close();
    console.log('closed');
  },
};

function load() {
  return addon.load(spec, () => {});
}

await plans[plan]?.();
