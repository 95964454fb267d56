import { type ErrorCode, LlmHostError, messageOf } from '../errors.ts';
import type { ReadModel } from '../model/load-model.ts';
import { withConfigFile } from '../model/name-config-file.ts';
import type { NativeAddon, NativeModel } from '../native/addon-types.ts';
import { loadAddon } from '../native/load-addon.ts';
import type { LoadProgress, LoadSpec } from '../native/load-types.ts';
import { createTokenizer } from '../tokens/tokenizer.ts';
import type { Tokenizer } from '../tokens/tokenizer-types.ts';
import type { ModelOptions } from './model-options.ts';

/** The tokens of a text, special ones included, with the type of each (0 or 1). */
export interface TextTokens {
  readonly ids: readonly number[];
  readonly types: readonly number[];
}

export interface EncoderInfo {
  readonly name: string;
  readonly modelType: string;
  /** Numbers of a vector; of a classifier: labels. */
  readonly dimensions: number;
  /** Tokens of a text. */
  readonly contextLength: number;
  readonly vocabSize: number;
  readonly device: string;
}

/** A loaded model that turns texts into vectors. Requests may be made side by side; their texts share batches. */
export interface Encoder extends AsyncDisposable {
  readonly info: EncoderInfo;
  /**
   * The vectors of texts, as the model gives them: `dimensions` numbers for each, one after the other.
   * @throws LlmHostError CANCELLED once `signal` aborts; USAGE, ENGINE, MODEL_BROKEN (a vector is not finite)
   */
  encode(texts: readonly TextTokens[], signal?: AbortSignal): Promise<Float32Array>;
  /** Cancels what is under way and frees the model. Idempotent. */
  close(): Promise<void>;
}

/** Runs an encoder in this process through MLX, on the addon's own thread. */
export class MlxEncoder implements Encoder {
  readonly info: EncoderInfo;
  readonly #native: NativeModel;

  private constructor(native: NativeModel, name: string) {
    const { modelType, hiddenSize, contextLength, vocabSize, device } = native.info;
    this.info = { name, modelType, dimensions: hiddenSize, contextLength, vocabSize, device };
    this.#native = native;
  }

  /** @throws LlmHostError with the addon's code: MODEL_BROKEN, MODEL_UNSUPPORTED, OUT_OF_MEMORY... */
  static async create(
    native: NativeAddon,
    spec: LoadSpec,
    { name, onProgress }: { name: string; onProgress?: ((progress: LoadProgress) => void) | undefined },
  ): Promise<MlxEncoder> {
    try {
      return new MlxEncoder(await native.load(spec, progress => onProgress?.(progress)), name);
    } catch (error) {
      throw hostError(error);
    }
  }

  encode(texts: readonly TextTokens[], signal?: AbortSignal): Promise<Float32Array> {
    if (texts.length === 0) return Promise.resolve(new Float32Array());
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(new LlmHostError('CANCELLED', 'Encoding texts was cancelled'));
      const abort = () => this.#native.cancel(job);
      const job = this.#native.encode(joined(texts), (error, vectors) => {
        signal?.removeEventListener('abort', abort);
        if (error) reject(hostError(error));
        else resolve(vectors);
      });
      signal?.addEventListener('abort', abort, { once: true });
    }).catch(error => {
      throw hostError(error);
    }) as Promise<Float32Array>;
  }

  async close(): Promise<void> {
    await this.#native.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function joined(texts: readonly TextTokens[]) {
  const tokens = texts.reduce((sum, { ids }) => sum + ids.length, 0);
  const ids = new Int32Array(tokens);
  const types = new Int32Array(tokens);
  let at = 0;
  for (const text of texts) {
    ids.set(text.ids, at);
    types.set(text.types, at);
    at += text.ids.length;
  }
  return { ids, types, lengths: Int32Array.from(texts, text => text.ids.length) };
}

function hostError(error: unknown): LlmHostError {
  if (error instanceof LlmHostError) return error;
  const code = (error as { code?: ErrorCode } | undefined)?.code ?? 'ENGINE';
  return new LlmHostError(code, messageOf(error), { cause: error });
}

/** Loads an encoder that was found, with its tokenizer. @throws LlmHostError as `loadEngine` does */
export async function loadEncoder(
  read: ReadModel,
  { onProgress, saveQuantized }: Pick<ModelOptions, 'onProgress' | 'saveQuantized'>,
): Promise<{ readonly encoder: MlxEncoder; readonly tokenizer: Tokenizer }> {
  if (!read.tokenizer) throw new LlmHostError('MODEL_UNSUPPORTED', `${read.name} has no tokenizer.json`);
  if (saveQuantized !== undefined)
    throw new LlmHostError(
      'USAGE',
      `--save-quantized: ${read.name} turns texts into vectors, and is not saved`,
    );
  const tokenizer = createTokenizer(read.tokenizer, read.tokenizerConfig);
  try {
    return {
      encoder: await MlxEncoder.create(loadAddon(), read.spec, { name: read.name, onProgress }),
      tokenizer,
    };
  } catch (error) {
    throw error instanceof LlmHostError ? withConfigFile(error, read.configFile) : error;
  }
}
