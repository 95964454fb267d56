// One of several processes that share a model: does what the parent's messages say, one after the other, and answers each.
import { loadEngine } from '../../../dist/engine/load-engine.js';

let engine;

const actions = {
  async load({ path, options }) {
    await engine?.close();
    engine = undefined;
    engine = await loadEngine(path, options);
    return { weightBytes: engine.info.weightBytes };
  },
  async generate({ request }) {
    const tokens = [];
    const replies = engine.generate(request);
    for (;;) {
      const { done, value } = await replies.next();
      if (done) return { tokens, result: value };
      tokens.push({ id: value.id, logprob: value.logprob });
      if (tokens.length === 1) process.send({ first: true });
    }
  },
  // All at once, in this order.
  async together({ requests }) {
    const replies = requests.map(async request => {
      const tokens = [];
      for await (const { id, logprob } of engine.generate(request)) tokens.push({ id, logprob });
      return tokens;
    });
    return { replies: await Promise.all(replies) };
  },
  async save({ path }) {
    return await engine.saveCache(path);
  },
};

process.on('message', async message => {
  try {
    process.send({ answer: await actions[message.do](message) });
  } catch (error) {
    process.send({ error: { code: error.code, message: error.message } });
  }
});
process.on('disconnect', () => process.exit());
