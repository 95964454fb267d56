import { expect } from 'vitest';
import { randomIds } from '../../../src/bench/random-prompts.ts';
import type { NativeModel, NativeRequest } from '../../../src/native/addon-types.ts';
import { loadAddon } from '../../../src/native/load-addon.ts';
import { readNamed } from '../../model/read-named.ts';
import { request } from '../../native/tiny/native-request.ts';

/** A request, and after how many of its tokens it is cancelled. */
interface Asked {
  readonly request: NativeRequest;
  readonly leavesAfter: number;
}

/** MLX's own operations do not promise the same bits for any number of rows. */
const onGpu = process.env.LLM_HOST_DEVICE_POLICY === 'gpu';

/** Tokens, on the CPU with their log-probabilities to the last bit; `onToken` gets how many there are. */
function run(
  model: NativeModel,
  asked: NativeRequest,
  onToken: (count: number, cancel: () => void) => void,
): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const tokens: string[] = [];
    const job = model.start(asked, () => {
      for (const event of model.take(job)) {
        if (event.type === 'error') reject(new Error(`${event.code}: ${event.message}`));
        if (event.type === 'end') resolve(tokens);
        if (event.type !== 'token') continue;
        tokens.push(onGpu ? `${event.id}` : `${event.id} ${event.logprob}`);
        onToken(tokens.length, () => model.cancel(job));
      }
    });
  });
}

/** Numbers from 0 up to `limit`, the same for the same seed. */
function numbers(seed: number): (limit: number) => number {
  let state = seed;
  return limit => {
    state = (state * 1664525 + 1013904223) % 2 ** 32;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

function randomRequest(index: number, below: (limit: number) => number, vocab: number): Asked {
  // Some begin alike, and so share what is cached.
  const beginning = randomIds(40, vocab, below(3));
  const promptIds = [...beginning.slice(0, below(40)), ...randomIds(1 + below(60), vocab, index)];
  const maxTokens = 1 + below(40);
  return {
    request: request(promptIds, {
      maxTokens,
      logprobs: 0,
      reproducible: true,
      temperature: below(2),
      seed: index,
      topK: below(2) * 20,
      topP: below(2) === 0 ? 1 : 0.9,
      repetitionPenalty: below(3) === 0 ? 1.2 : 1,
      presencePenalty: below(3) === 0 ? 0.5 : 0,
      stopIds: below(3) === 0 ? Int32Array.of(below(vocab), below(vocab)) : new Int32Array(),
      prefillChunk: below(3) === 0 ? 1 + below(20) : 0,
      // Few tokens that come again and again: much is proposed beside the others.
      ...(below(2) === 0 && {
        lookupAlways: true,
        logitBiasIds: Int32Array.from(randomIds(3, vocab, index)),
        logitBias: Float32Array.of(30, 30, 30),
      }),
      // As if the end of the prompt were a reply that is gone on with.
      continued: below(3) === 0 ? below(Math.min(promptIds.length, 5)) : 0,
    }),
    leavesAfter: below(4) === 0 ? 1 + below(maxTokens) : Number.POSITIVE_INFINITY,
  };
}

export interface TogetherOptions {
  /** Requests. */
  readonly count: number;
  /** How many of them run at once. */
  readonly parallel: number;
  readonly exact: boolean;
  readonly adapter?: string;
  /** The model also proposes tokens to itself, as its own draft model. */
  readonly drafts?: boolean;
}

/** Random requests by a model that runs several of them at once, each as it is alone. */
export async function expectSameTogether(source: string, together: TogetherOptions) {
  const { count, parallel, exact, adapter, drafts } = together;
  const options = { cwd: process.cwd(), env: process.env, contextLength: 0, adapter, exact };
  const { spec } = readNamed(source, options);
  const sized = { ...spec, parallel, cacheBytes: 2 ** 28 };
  const plain = await loadAddon().load(sized, () => {});
  const below = numbers(count + parallel);
  const all = Array.from({ length: count }, (_, i) => randomRequest(i, below, plain.info.vocabSize));
  const alone: string[][] = [];
  for (const asked of all) alone.push(await run(plain, { ...asked.request, lookupAlways: false }, () => {}));
  if (drafts) await plain.close();
  const model = drafts ? await loadAddon().load({ ...sized, draft: spec }, () => {}) : plain;
  try {
    const replies: Promise<string[]>[] = [];
    // Each token lets another one join, or not.
    const join = () => {
      const index = replies.length;
      const asked = all[index];
      if (!asked) return;
      replies.push(
        run(model, asked.request, (tokens, cancel) => {
          if (tokens >= asked.leavesAfter) cancel();
          if (below(3) === 0) join();
        }),
      );
    };
    while (replies.length < count) {
      for (let i = 0; i < parallel; i += 1) join();
      await Promise.all(replies);
    }
    for (const [index, tokens] of (await Promise.all(replies)).entries()) {
      const { leavesAfter } = all[index] as Asked;
      const expected = alone[index] as string[];
      if (leavesAfter > expected.length) expect(tokens, `request ${index}`).toEqual(expected);
      else expect(expected.slice(0, tokens.length), `request ${index}`).toEqual(tokens);
    }
  } finally {
    await model.close();
  }
}
