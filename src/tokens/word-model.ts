/** Turns words, as the pre-tokeniser cuts them, into ids. */
export interface WordModel {
  encode(words: readonly string[]): number[];
  /** The id of what the vocabulary does not hold, where there is one. */
  readonly unknownId: number | undefined;
}
