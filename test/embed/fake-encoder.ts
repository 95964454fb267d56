import { setTimeout as sleep } from 'node:timers/promises';
import { Embedder, type EmbedderParts } from '../../src/embed/embedder.ts';
import { TextReader } from '../../src/embed/text-reader.ts';
import type { Encoder, TextTokens } from '../../src/engine/encoder.ts';
import { LlmHostError } from '../../src/errors.ts';
import { specialFrame } from '../../src/tokens/special-frame.ts';
import { tokenizer } from '../serve/scripted.ts';

const DIMENSIONS = 4;

/** Vectors that tell what was read: 3 · (tokens), 4 · (tokens), the first and the last token. */
class FakeEncoder implements Encoder {
  readonly info;
  readonly requests: (readonly TextTokens[])[] = [];
  readonly #ms: number;
  running = 0;
  mostRunning = 0;
  closed = 0;

  constructor({ ms = 0, dimensions = DIMENSIONS, contextLength = 16 } = {}) {
    this.#ms = ms;
    this.info = {
      name: 'org/fake',
      modelType: 'bert',
      dimensions,
      contextLength,
      vocabSize: 0x110000,
      device: 'cpu',
    };
  }

  async encode(texts: readonly TextTokens[], signal?: AbortSignal): Promise<Float32Array> {
    this.requests.push(texts);
    this.running += 1;
    this.mostRunning = Math.max(this.mostRunning, this.running);
    try {
      await sleep(this.#ms, undefined, { signal });
    } catch {
      throw new LlmHostError('CANCELLED', 'Encoding texts was cancelled');
    } finally {
      this.running -= 1;
    }
    const numbers = ({ ids }: TextTokens) => [3 * ids.length, 4 * ids.length, ids[0] ?? 0, ids.at(-1) ?? 0];
    return Float32Array.from(texts.flatMap(text => numbers(text).slice(0, this.info.dimensions)));
  }

  async close(): Promise<void> {
    this.closed += 1;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

const NO_FRAME = specialFrame({});

/** An embedder over it: a token for each character, without special ones. */
export function fakeEmbedder(
  options: ConstructorParameters<typeof FakeEncoder>[0] & Partial<EmbedderParts> = {},
) {
  const encoder = new FakeEncoder(options);
  const reader = new TextReader(
    tokenizer,
    options.kind === 'classifier' ? PAIRED : NO_FRAME,
    encoder.info.contextLength,
  );
  const parts = { kind: 'embedding' as const, prompts: {}, defaultPrompt: undefined, ...options };
  return { encoder, embedder: new Embedder({ ...parts, encoder, reader }) };
}

const PAIRED = specialFrame({ post_processor: { type: 'BertProcessing', cls: ['[', 91], sep: ['|', 124] } });
