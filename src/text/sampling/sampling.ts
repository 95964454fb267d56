/** How tokens are chosen. Ranges, defaults and other names: `SAMPLING_FIELDS`. */
export interface TokenSampling {
  /** 0 to 5; 0 (default): always the likeliest token. */
  readonly temperature?: number;
  /** Nucleus sampling, above 0 to 1. Default 1: off. */
  readonly topP?: number;
  /** Sample from the k likeliest tokens. Default 0: from all. */
  readonly topK?: number;
  /** Least probability relative to the likeliest token, 0 to below 1. Default 0. */
  readonly minP?: number;
  /** Over the prompt and the reply, above 0 to 10. Default 1: off. */
  readonly repetitionPenalty?: number;
  /** Over the reply, -2 to 2. Default 0. */
  readonly presencePenalty?: number;
  /** Over the reply, for each occurrence, -2 to 2. Default 0. */
  readonly frequencyPenalty?: number;
  /** Token ids, and what is added to their logits: -100 to 100. */
  readonly logitBias?: Readonly<Record<number, number>>;
  /** An unsigned 32-bit integer; the same seed gives the same tokens. Default: random. */
  readonly seed?: number;
  /** Samples the same tokens whatever was cached and whatever else is running. Default: with a seed. */
  readonly reproducible?: boolean;
  /** Several tokens a step where the reply copies from the conversation; the same text, sooner. Default true. */
  readonly lookup?: boolean;
  /** Tokens per reply. Default: what is left of the context. */
  readonly maxTokens?: number;
}

/** Sampling options; one that is left out has its default. */
export interface Sampling extends TokenSampling {
  /** Texts that end the reply, at most 64. */
  readonly stop?: readonly string[];
}
