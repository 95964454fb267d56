/** A piece of a rendered prompt: template text may hold special tokens, message content never does. */
export interface PromptSegment {
  readonly text: string;
  readonly special: boolean;
}

/** Turns ids into text as they come; never emits half a character. */
export interface TextStream {
  /** The text that became certain with this token. */
  push(id: number): string;
  /** What was held back, with replacement characters for broken bytes. */
  end(): string;
}

export interface Tokenizer {
  readonly vocabSize: number;
  readonly bosToken: string | undefined;
  readonly eosToken: string | undefined;
  /** Special tokens in `text` become their ids only with `special: true` (default false). Adds no BOS. */
  encode(text: string, options?: { special?: boolean }): number[];
  encodeSegments(segments: readonly PromptSegment[]): number[];
  /** All of `ids` at once; special tokens are kept as text. */
  decode(ids: readonly number[]): string;
  stream(): TextStream;
  /** undefined if `token` is no entry of the vocabulary. */
  idOf(token: string): number | undefined;
  /** UTF-8 of a token, which may be a part of a character; undefined for an id without one. */
  bytesOf?(id: number): Uint8Array | undefined;
}
