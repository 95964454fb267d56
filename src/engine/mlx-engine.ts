import { resolve } from 'node:path';
import { type ErrorCode, LlmHostError, messageOf } from '../errors.ts';
import type { NativeAddon, NativeEvent, NativeModel, NativeRequest } from '../native/addon-types.ts';
import type { LoadProgress, LoadSpec } from '../native/load-types.ts';
import type { TextStream, Tokenizer } from '../tokens/tokenizer-types.ts';
import { readCacheFile } from './cache/cache-file.ts';
import { PrefixFolder } from './cache/prefix-folder.ts';
import { LoadedFiles, prefixOrigin } from './cache/prefix-key.ts';
import { type Prefix, PrefixTier } from './cache/prefix-tier.ts';
import type { EngineEvent, SavedCache, TokenEvent } from './engine.ts';
import {
  type EngineJob,
  type JobEngineInfo,
  type JobResult,
  type LocalJobEngine,
  tokensOf,
} from './engine-job.ts';
import { NativeJob } from './native-job.ts';
import { toNativeRequest } from './native-request.ts';

export interface MlxEngineOptions {
  /** For messages and `info`. */
  readonly name: string;
  /** Without one, `text` is always ''. */
  readonly tokenizer?: Pick<Tokenizer, 'stream'> | undefined;
  /** For requests without stop ids of their own. */
  readonly defaultStopIds: readonly number[];
  readonly onProgress?: ((progress: LoadProgress) => void) | undefined;
  /** Called with each request once it is queued. */
  readonly onStart?: ((request: NativeRequest) => void) | undefined;
  /** Where to keep the keys and values of prompts' shared beginnings; default: nowhere. */
  readonly prefixes?: PrefixPlace | undefined;
}

export interface PrefixPlace {
  readonly folder: string;
  /** The limit of all files together. */
  readonly maxBytes: number;
  /** Receives news of the folder for the log. */
  readonly onNote: (note: string) => void;
}

/** Runs a model in this process through MLX. Loading and generating happen on the addon's own thread. */
export class MlxEngine implements LocalJobEngine {
  readonly info: JobEngineInfo;
  readonly #native: NativeModel;
  readonly #options: MlxEngineOptions;
  readonly #spec: LoadSpec;
  readonly #files: LoadedFiles;
  readonly #prefixes: PrefixTier | undefined;

  private constructor(native: NativeModel, spec: LoadSpec, options: MlxEngineOptions, mlx: string) {
    const { layers: _layers, hiddenSize: _hiddenSize, ...info } = native.info;
    const { prefixes } = options;
    this.info = { name: options.name, ...info, ...(prefixes && { keepsPrefixes: true }) };
    const files = new LoadedFiles(spec);
    this.#files = files;
    this.#prefixes =
      prefixes && tierOf(native, prefixes, () => files.read(() => prefixOrigin(spec, native.info, mlx)));
    this.#native = native;
    // A configuration may name tokens that the model has no row for, and so never says.
    const defaultStopIds = options.defaultStopIds.filter(id => id < info.vocabSize);
    this.#options = { ...options, defaultStopIds };
    this.#spec = spec;
  }

  /** @throws LlmHostError with the addon's code: MODEL_BROKEN, MODEL_UNSUPPORTED, OUT_OF_MEMORY... */
  static async create(native: NativeAddon, spec: LoadSpec, options: MlxEngineOptions): Promise<MlxEngine> {
    try {
      const model = await native.load(spec, progress => options.onProgress?.(progress));
      return new MlxEngine(model, spec, options, native.versions.mlxLoaded);
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
    const prefix = this.#prefixOf(request, nativeRequest);
    const job = this.#start({ ...nativeRequest, ...(prefix?.file && { prefix: prefix.file }) });
    const abort = () => job.cancel();
    request.signal?.addEventListener('abort', abort, { once: true });
    try {
      const text = this.#textStream(request);
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
            const { type: _type, reason, prefixRefusal, ...counts } = event;
            if (prefix) this.#prefixes?.replied(prefix, prefixRefusal);
            return { finishReason: reason, ...counts };
          }
          case 'error':
            throw new LlmHostError(event.code as ErrorCode, event.message);
        }
      }
    } finally {
      request.signal?.removeEventListener('abort', abort);
      await job.dispose();
    }
  }

  async saveCache(path: string): Promise<SavedCache> {
    try {
      return await this.#native.saveCache(resolve(path), this.#files.hash());
    } catch (error) {
      throw toHostError(error);
    }
  }

  async loadCache(path: string): Promise<SavedCache> {
    const file = readCacheFile(resolve(path), this.#files.hash());
    try {
      return await this.#native.loadCache(file);
    } catch (error) {
      throw toHostError(error);
    }
  }

  async close(): Promise<void> {
    await this.#native.close();
    await this.#prefixes?.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #start(request: Parameters<NativeModel['start']>[0]): NativeJob {
    // Proposals depend on measured times, which differ from process to process.
    const own = this.#spec.group ? { ...request, lookup: false, lookupAlways: false } : request;
    try {
      const job = new NativeJob(this.#native, own);
      this.#options.onStart?.(own);
      return job;
    } catch (error) {
      throw toHostError(error);
    }
  }

  /** Scores of a prompt take all of it. */
  #prefixOf({ sharedTokens = 0 }: EngineJob, request: NativeRequest): Prefix | undefined {
    if (request.promptLogprobs) return undefined;
    const { promptIds, reproducible = false, adapted = true } = request;
    return this.#prefixes?.find(promptIds, sharedTokens, { reproducible, adapted });
  }

  #textStream({ continuesText = false }: EngineJob): TextStream | undefined {
    return this.#options.tokenizer?.stream({ continues: continuesText });
  }
}

function tierOf(model: NativeModel, place: PrefixPlace, origin: () => string): PrefixTier {
  const { folder, maxBytes, onNote } = place;
  return new PrefixTier(model, new PrefixFolder(folder, maxBytes), origin, onNote);
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
