/** Follows texts along one grammar. */
export interface GrammarMatcher {
  /** Goes on by as many of these tokens as can stand, and says how many those are. */
  accept(ids: readonly number[]): Promise<number>;
  next(): Promise<NextTokens>;
  close(): void;
}

/** What may come next. */
export interface NextTokens {
  /**
   * What has to come, whatever is chosen; '' if there is a choice at once. Where texts part within a character, the last
   * one is not to be trusted: `accept` tells.
   */
  readonly forced: string;
  /** A bit for each token, the lowest of a byte first. Stop tokens only where the text may end. */
  readonly allowed: Uint8Array;
  /** The text may end here. */
  readonly complete: boolean;
}

/** Checks texts against grammars. Rejects with an Error where a grammar cannot be used, or after `close`. */
export interface GrammarEngine {
  /** Makes a grammar ready, so that `begin` is quick. */
  prepare(grammar: string): Promise<void>;
  /** A matcher behind as many of these texts as can stand one after another, and how many those are. */
  begin(
    grammar: string,
    texts: readonly string[],
  ): Promise<{ readonly matcher: GrammarMatcher; readonly accepted: number }>;
  close(): Promise<void>;
}

/** The tokens of a model, for grammars over them. */
export interface GrammarVocabulary {
  /** Width of the logits. */
  readonly size: number;
  /** UTF-8 of a token; undefined for an id without one. */
  bytesOf(id: number): Uint8Array | undefined;
  readonly stopIds: readonly number[];
}
