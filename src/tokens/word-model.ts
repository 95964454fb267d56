/** Turns words, as split by the pre-tokenizer, into ids. */
export interface WordModel {
  encode(words: readonly string[]): number[];
  /** The id for text not in the vocabulary, if there is one. */
  readonly unknownId: number | undefined;
}
