import { expect } from 'vitest';
import { randomIds } from '../../../src/bench/random-prompts.ts';
import type { NativeDecoding, NativeModel, NativeRequest } from '../../../src/native/addon-types.ts';
import { request } from '../../native/tiny/native-request.ts';
import { loadNative } from '../native-run.ts';

/** More than a block of keys, and than the window of every tiny model. */
const LENGTH = 140;
const COUNT = 48;

/** MLX's own operations do not promise the same bits for any number of rows. */
const onGpu = process.env.LLM_HOST_DEVICE_POLICY === 'gpu';

interface Reply {
  /** On the CPU with their log-probabilities, to the last bit. */
  readonly tokens: readonly string[];
  readonly ids: readonly number[];
  readonly decoding: NativeDecoding;
}

function run(model: NativeModel, prompt: readonly number[], options: Partial<NativeRequest>): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const tokens: string[] = [];
    const ids: number[] = [];
    const job = model.start(request(prompt, { maxTokens: COUNT, logprobs: 0, ...options }), () => {
      for (const event of model.take(job)) {
        if (event.type === 'error') reject(new Error(`${event.code}: ${event.message}`));
        if (event.type === 'end') resolve({ tokens, ids, decoding: event.decoding });
        if (event.type !== 'token') continue;
        ids.push(event.id);
        tokens.push(onGpu ? `${event.id}` : `${event.id} ${event.logprob}`);
      }
    });
  });
}

/** Few tokens that come again and again, so that many are proposed and some of them are wrong. */
function biased(vocab: number, count: number): Partial<NativeRequest> {
  return {
    logitBiasIds: Int32Array.from(randomIds(count, vocab, 9)),
    logitBias: new Float32Array(count).fill(30),
  };
}

function requestsOf(vocab: number): Readonly<Record<string, Partial<NativeRequest>>> {
  const few = biased(vocab, 3);
  return {
    greedy: {},
    'greedy among few': few,
    seeded: { temperature: 1, seed: 7, reproducible: true, ...few },
    'seeded, with penalties': {
      temperature: 0.8,
      seed: 8,
      reproducible: true,
      topK: 4,
      topP: 0.95,
      ...few,
      repetitionPenalty: 1.1,
      presencePenalty: 0.5,
      frequencyPenalty: 0.1,
    },
    'with a stop': {
      temperature: 1,
      seed: 3,
      reproducible: true,
      ...few,
      stopIds: few.logitBiasIds?.slice(2) as Int32Array,
    },
  };
}

/** Tokens that were proposed. */
interface Proposals {
  readonly accepted: number;
  readonly rejected: number;
}

/** Every reply of the model with proposals is the one without, and so is what is said after it from the cache. */
export async function sameWithLookup(model: NativeModel): Promise<Proposals> {
  let [accepted, rejected] = [0, 0];
  const { vocabSize } = model.info;
  const prompt = randomIds(LENGTH, vocabSize, 5);
  const forget = () => run(model, randomIds(LENGTH, vocabSize, 6), { maxTokens: 1 });
  for (const [name, asked] of Object.entries(requestsOf(vocabSize))) {
    await forget();
    const plain = await run(model, prompt, asked);
    const more = [...prompt, ...plain.ids, ...randomIds(5, vocabSize, 4)];
    const afterwards = () => run(model, more, { maxTokens: 8, reproducible: true });
    const after = await afterwards();
    await forget();
    const looked = await run(model, prompt, { ...asked, lookupAlways: true });
    expect(looked.tokens, name).toEqual(plain.tokens);
    expect((await afterwards()).tokens, `after ${name}`).toEqual(after.tokens);
    expect(plain.decoding).toMatchObject({ proposed: 0, accepted: 0 });
    expect(looked.decoding.passes).toBeLessThanOrEqual(plain.decoding.passes + 1);
    accepted += looked.decoding.accepted;
    rejected += looked.decoding.proposed - looked.decoding.accepted;
  }
  return { accepted, rejected };
}

/** The same of a model in a folder or a file. */
export async function sameWithLookupFrom(source: string, exact: boolean): Promise<Proposals> {
  const model = await loadNative(source, undefined, exact);
  try {
    return await sameWithLookup(model);
  } finally {
    await model.close();
  }
}
