import { resolve } from 'node:path';
import { type ErrorCode, LlmHostError, messageOf } from '../errors.ts';
import type { LoadProgress, LoadSpec, NativeAddon, NativeEvent, NativeModel } from '../native/addon-types.ts';
import type { TextStream, Tokenizer } from '../tokens/tokenizer-types.ts';
import { readCacheFile } from './cache-file.ts';
import type { EngineEvent, SavedCache, TokenEvent } from './engine.ts';
import type { EngineJob, JobEngineInfo, JobResult, LocalJobEngine } from './engine-job.ts';
import { modelHash } from './model-hash.ts';
import { NativeJob } from './native-job.ts';
import { toNativeRequest } from './native-request.ts';
import { tokensOf } from './token-stream.ts';

export interface MlxEngineOptions {
  /** For messages and `info`. */
  readonly name: string;
  /** Without one, `text` is always ''. */
  readonly tokenizer?: Pick<Tokenizer, 'stream'>;
  /** For requests without stop ids of their own. */
  readonly defaultStopIds: readonly number[];
  readonly onProgress?: (progress: LoadProgress) => void;
}

/** Runs a model in this process through MLX. Loading and generating happen on the addon's own thread. */
export class MlxEngine implements LocalJobEngine {
  readonly info: JobEngineInfo;
  readonly #native: NativeModel;
  readonly #options: MlxEngineOptions;
  readonly #spec: LoadSpec;
  #hash: string | undefined;

  private constructor(native: NativeModel, spec: LoadSpec, options: MlxEngineOptions) {
    const { layers: _layers, hiddenSize: _hiddenSize, ...info } = native.info;
    this.info = { name: options.name, ...info };
    this.#native = native;
    this.#options = options;
    this.#spec = spec;
  }

  /** @throws LlmHostError with the addon's code: MODEL_BROKEN, MODEL_UNSUPPORTED, OUT_OF_MEMORY... */
  static async create(native: NativeAddon, spec: LoadSpec, options: MlxEngineOptions): Promise<MlxEngine> {
    try {
      const model = await native.load(spec, progress => options.onProgress?.(progress));
      return new MlxEngine(model, spec, options);
    } catch (error) {
      throw toHostError(error);
    }
  }

  generate(request: EngineJob): AsyncGenerator<TokenEvent, JobResult> {
    return tokensOf(this.events(request), request.onPrefill);
  }

  /**
   * The first `next()` queues the job. Leaving the loop early cancels it; so does the signal, which ends the stream
   * with `finishReason: 'cancelled'` instead of an error.
   */
  async *events(request: EngineJob): AsyncGenerator<EngineEvent, JobResult> {
    const nativeRequest = toNativeRequest(request, this.info, this.#options.defaultStopIds);
    if (request.signal?.aborted) return cancelledBeforeStart(nativeRequest.promptIds.length);
    const job = this.#start(nativeRequest);
    const abort = () => job.cancel();
    request.signal?.addEventListener('abort', abort, { once: true });
    try {
      return yield* this.#read(job);
    } finally {
      request.signal?.removeEventListener('abort', abort);
      await job.dispose();
    }
  }

  async saveCache(path: string): Promise<SavedCache> {
    try {
      return await this.#native.saveCache(resolve(path), this.#modelHash());
    } catch (error) {
      throw toHostError(error);
    }
  }

  async loadCache(path: string): Promise<SavedCache> {
    const file = readCacheFile(resolve(path), this.#modelHash());
    try {
      return await this.#native.loadCache(file);
    } catch (error) {
      throw toHostError(error);
    }
  }

  #modelHash(): string {
    this.#hash ??= modelHash(this.#spec);
    return this.#hash;
  }

  async close(): Promise<void> {
    await this.#native.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #start(request: Parameters<NativeModel['start']>[0]): NativeJob {
    try {
      return new NativeJob(this.#native, request);
    } catch (error) {
      throw toHostError(error);
    }
  }

  async *#read(job: NativeJob): AsyncGenerator<EngineEvent, JobResult> {
    const text = this.#options.tokenizer?.stream();
    // Tokens inside an unfinished character wait for the one that completes it, or for the end.
    let held: TokenEvent[] = [];
    while (true) {
      const event = await job.next();
      switch (event.type) {
        case 'prefill':
          yield event;
          break;
        case 'token': {
          const token = toTokenEvent(event, text);
          held.push(token);
          if (token.text === '' && text) break;
          for (const token of held) yield { type: 'token', token };
          held = [];
          break;
        }
        case 'end': {
          for (const token of withTail(held, text)) yield { type: 'token', token };
          const { type: _type, reason, ...counts } = event;
          return { finishReason: reason, ...counts };
        }
        case 'error':
          throw new LlmHostError(event.code as ErrorCode, event.message);
      }
    }
  }
}

function toTokenEvent(
  event: Extract<NativeEvent, { type: 'token' }>,
  text: TextStream | undefined,
): TokenEvent {
  const token = { id: event.id, text: text?.push(event.id) ?? '' };
  if (event.logprob === undefined) return token;
  const { topIds = new Int32Array(), topLogprobs = new Float32Array() } = event;
  const top = Array.from(topIds, (id, i) => ({ id, logprob: topLogprobs[i] as number }));
  return { ...token, logprob: event.logprob, topLogprobs: top };
}

function withTail(held: TokenEvent[], text: TextStream | undefined): TokenEvent[] {
  const last = held.at(-1);
  if (!last || !text) return held;
  return [...held.slice(0, -1), { ...last, text: text.end() }];
}

function cancelledBeforeStart(promptTokens: number): JobResult {
  const timings = { firstTokenMs: 0, prefillMs: 0, decodeMs: 0 };
  return { finishReason: 'cancelled', promptTokens, cachedTokens: 0, generatedTokens: 0, timings };
}

function toHostError(error: unknown): LlmHostError {
  const code = (error as { code?: ErrorCode } | undefined)?.code ?? 'ENGINE';
  return new LlmHostError(code, messageOf(error), { cause: error });
}
