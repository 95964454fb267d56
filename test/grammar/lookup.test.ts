import { expect, test } from 'vitest';
import type { EngineJob } from '../../src/engine/engine-job.ts';
import { MlxEngine } from '../../src/engine/mlx-engine.ts';
import { constrainedGeneration } from '../../src/grammar/constrained-generation.ts';
import { replyConstraint } from '../../src/grammar/reply-constraint.ts';
import type { NativeAddon, NativeModel } from '../../src/native/addon-types.ts';
import { loadAddon } from '../../src/native/load-addon.ts';
import { createToolParser } from '../../src/parse/create-tool-parser.ts';
import { hermes } from '../../src/parse/formats/json/hermes.ts';
import { tinyModel } from '../native/tiny/tiny-model.ts';
import { byteGrammar } from './byte-grammar.ts';
import { ByteTokenizer } from './wishing-engine.ts';

const tokenizer = new ByteTokenizer();

/** The addon, with tokens proposed wherever something is found, not only where that pays. */
function always(addon: NativeAddon): NativeAddon {
  const load = async (...args: Parameters<NativeAddon['load']>): Promise<NativeModel> => {
    const model = await addon.load(...args);
    return {
      info: model.info,
      start: (request, onReady) =>
        model.start({ ...request, lookupAlways: request.lookup ?? false }, onReady),
      encode: (request, onDone) => model.encode(request, onDone),
      take: job => model.take(job),
      cancel: job => model.cancel(job),
      saveCache: (path, hash) => model.saveCache(path, hash),
      savePrefix: prefix => model.savePrefix(prefix),
      loadCache: file => model.loadCache(file),
      close: () => model.close(),
    };
  };
  return Object.assign(Object.create(addon), { load });
}

const SCHEMA = {
  type: 'object',
  properties: { list: { type: 'array', items: { type: 'integer' } }, end: { type: 'boolean' } },
  required: ['list', 'end'],
};

async function say(engine: MlxEngine, request: Partial<EngineJob>) {
  const grammar = await byteGrammar();
  const constraint = await replyConstraint({
    grammar,
    tokenizer,
    format: hermes,
    tools: [],
    constrainCalls: false,
    responseFormat: { type: 'json_schema', schema: SCHEMA },
    newParser: () => createToolParser({ format: hermes, tools: [], startsInThinking: false }),
  });
  const promptIds = tokenizer.encode('{"list": [12, 21, 112, 12], "end": true} ');
  const events = constrainedGeneration(engine, { promptIds, maxTokens: 100, ...request }, constraint);
  const ids: number[] = [];
  for (;;) {
    const step = await events.next();
    if (step.done) return { text: tokenizer.decode(ids), ids, decoding: step.value.decoding };
    if (step.value.type === 'token') ids.push(step.value.token.id);
  }
}

test('a grammar holds what is proposed as it holds what is not, and the reply is the same', async () => {
  const { spec } = tinyModel({ config: { vocab_size: tokenizer.stop + 1 } });
  const engine = await MlxEngine.create(always(loadAddon()), spec, {
    name: 'tiny',
    tokenizer,
    defaultStopIds: [tokenizer.stop],
  });
  try {
    const likely = (text: string, bias: number) =>
      Object.fromEntries(tokenizer.encode(text).map(id => [id, bias]));
    const requests: readonly Partial<EngineJob>[] = [
      { logitBias: likely('12,', 30) },
      { logitBias: likely('12, ', 30), temperature: 1, seed: 5 },
      { logitBias: likely('12, ]', 20), temperature: 0.9, seed: 6, repetitionPenalty: 1.1, topK: 6 },
      { logitBias: likely('12,', 20), temperature: 1, seed: 7, presencePenalty: 0.5, maxTokens: 37 },
    ];
    let [accepted, rejected] = [0, 0];
    for (const request of requests) {
      const plain = await say(engine, { ...request, lookup: false });
      const looked = await say(engine, request);
      expect(looked.text).toBe(plain.text);
      expect(looked.ids).toEqual(plain.ids);
      expect(plain.text).toMatch(/^\s*\{\s*"list"\s*:\s*\[\s*[-\d, ]*/);
      expect(plain.decoding).toMatchObject({ proposed: 0 });
      accepted += looked.decoding?.accepted ?? 0;
      rejected += (looked.decoding?.proposed ?? 0) - (looked.decoding?.accepted ?? 0);
    }
    expect(accepted).toBeGreaterThan(10);
    expect(rejected).toBeGreaterThan(10);
  } finally {
    await engine.close();
  }
});
