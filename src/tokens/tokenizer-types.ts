/** A segment of a rendered prompt: template text may contain special tokens, message content never does. */
export interface PromptSegment {
  readonly text: string;
  readonly special: boolean;
}

/** Turns ids into text as they arrive; never emits half a character. */
export interface TextStream {
  /** The text completed by this token. */
  push(id: number): string;
  /** Returns the text held back, with replacement characters for invalid bytes. */
  end(): string;
}

export interface Tokenizer {
  readonly vocabSize: number;
  readonly bosToken: string | undefined;
  readonly eosToken: string | undefined;
  /** Texts are meant to begin with BOS: the model's own tokenizer puts it there. undefined: not known. */
  readonly addsBos?: boolean;
  /** With `special: true`, special tokens in `text` become their ids (default false). Adds no BOS. */
  encode(text: string, options?: { special?: boolean }): number[];
  encodeSegments(segments: readonly PromptSegment[]): number[];
  /** All of `ids` at once, including the text of special tokens. */
  decode(ids: readonly number[]): string;
  /** With `continues: true`, the ids go on with a text: a space that they start with is kept (default false). */
  stream(options?: { continues?: boolean }): TextStream;
  /** undefined if `token` is not in the vocabulary. */
  idOf(token: string): number | undefined;
  /** UTF-8 of a token, perhaps part of a character; undefined for an id without one. */
  bytesOf?(id: number): Uint8Array | undefined;
}
