/** Element type of a stored tensor: safetensors names, and ggml names for GGUF blocks. */
export type StoredDtype = 'F32' | 'F16' | 'BF16' | 'U32' | 'U8' | 'I32' | 'I64' | GgmlBlockType;
export type GgmlBlockType =
  | 'Q4_0'
  | 'Q4_1'
  | 'Q5_0'
  | 'Q5_1'
  | 'Q8_0'
  | 'Q2_K'
  | 'Q3_K'
  | 'Q4_K'
  | 'Q5_K'
  | 'Q6_K'
  | 'IQ4_NL'
  | 'IQ4_XS'
  | 'TQ1_0'
  | 'TQ2_0'
  | 'MXFP4';

/** One tensor in a weight file. `src/model` has checked that ranges lie inside the file and do not overlap. */
export interface TensorEntry {
  readonly name: string;
  readonly dtype: StoredDtype;
  /** Outermost dimension first (PyTorch order, for GGUF too). */
  readonly shape: readonly number[];
  /** Index into `WeightFiles.files`. */
  readonly file: number;
  /** Byte offset from the start of the file. */
  readonly offset: number;
  readonly bytes: number;
}

export interface WeightFiles {
  /** Absolute paths. */
  readonly files: readonly string[];
  readonly tensors: readonly TensorEntry[];
}

/** How a model with an adapter is used. Not for the addon. */
export interface AdapterTraits {
  /** The adapter is meant for requests that list tools. Default false. */
  readonly onlyWithTools?: boolean;
  /**
   * A reply begins with a call only if the model gives the first token of one at least this probability, 0 to below 1: a
   * small model that calls tools too readily makes fewer calls that nobody asked for. A call that is held to its schema is
   * withdrawn, once a reply, if a value of at most 12 tokens in its arguments is less than 0.6 times as likely as that.
   * Default 0: off.
   */
  readonly callConfidence?: number;
  /** It begins with `recall` where the question names something of the turns that a summary stands for. Default false. */
  readonly lookUpFirst?: boolean;
}

export interface AdapterSpec extends AdapterTraits {
  readonly weights: WeightFiles;
  /** y = Wx + scale * (x A) B, with tensors MODULE.lora_a and MODULE.lora_b. */
  readonly scale: number;
  /** false: A is [in, rank] and B [rank, out], as in MLX; true: [rank, in] and [out, rank], as in PEFT. */
  readonly transposed: boolean;
}

/** The modules behind the layers of a model that turns texts into vectors. */
export interface EncoderSpec {
  /** How the tokens' vectors become the text's: `mean`, `cls` or `lasttoken`. */
  readonly pooling: string;
  /** Matrices behind the pooling: tensors dense.INDEX.linear.weight [out, ..] and .bias. */
  readonly dense: readonly {
    readonly out: number;
    readonly bias: boolean;
    /** `identity` or `tanh`. */
    readonly activation: string;
  }[];
}

export interface LoadSpec {
  /**
   * config.json, parsed (Hugging Face names). For a GGUF file: the same keys, made from its metadata, with
   * Hugging Face tensor names in `weights`.
   */
  readonly config: Readonly<Record<string, unknown>>;
  readonly weights: WeightFiles;
  /** The rows of q and k are permuted, as llama.cpp does for llama and granite. */
  readonly gguf: boolean;
  /** Added to every tensor named `*norm.weight`; default 0. Gemma's GGUF files hold 1 + w. */
  readonly normShift?: number;
  /** All are added to the weights. */
  readonly adapters: readonly AdapterSpec[];
  /** Requests may go without the adapters, which are therefore never merged into the weights. Default: false. */
  readonly adaptersOptional?: boolean;
  /** How to quantize float matrices while loading; routers and vectors stay as they are. */
  readonly quantize?: { readonly mode: string; readonly bits: number; readonly groupSize: number };
  /** An empty folder for the loaded weights: shard-1.safetensors, shard-2.safetensors and so on. */
  readonly saveTo?: string;
  /** Tokens; 0 or more than the model's maximum means that maximum. A longer prompt is refused with CONTEXT_FULL. */
  readonly contextLength: number;
  /** Bits to quantize keys and values to: 4 or 8; 0: do not. */
  readonly kvBits: number;
  /** On the CPU, multiply weights by float32 activations instead of rounded ones. Default: false. */
  readonly exact?: boolean;
  /** Turn texts into vectors, and generate nothing. */
  readonly encoder?: EncoderSpec;
  /** Bytes for the caches of several conversations; 0 (default): keep the last one, whatever its size. */
  readonly cacheBytes?: number;
  /**
   * This process loads and computes its part of the model, in the group of MLX's variables MLX_HOSTFILE and MLX_RANK.
   * Default: the whole model.
   */
  readonly group?: {
    /** Milliseconds to wait for the other processes. */
    readonly limitMs: number;
    /** The limit until all processes have joined. Default: `limitMs`. */
    readonly joinMs?: number;
  };
  /** Generations at once, 1 (default) to 256; more wait. */
  readonly parallel?: number;
  /** The longest that a stream should wait for its next token because of others' prompts: milliseconds, 1 to 60,000; default 100. */
  readonly maxGapMs?: number;
  /** A smaller model with the same tokens, which proposes what comes next. Its caches get `cacheBytes` more. */
  readonly draft?: LoadSpec;
}

export interface LoadProgress {
  readonly doneBytes: number;
  readonly totalBytes: number;
}
