/** Matches tokens against a grammar. */
export interface GrammarMatcher {
  /** Advances by as many of these tokens as fit, and returns how many. */
  accept(ids: readonly number[]): Promise<number>;
  next(): Promise<NextTokens>;
  close(): void;
}

/** The set of tokens that may come next. */
export interface NextTokens {
  /**
   * Text that must come next; '' if there is a choice. If the choices share part of a character, its last character
   * cannot be trusted: `accept` tells.
   */
  readonly forced: string;
  /** A bit per token, lowest bit first. Stop tokens only where the text may end. */
  readonly allowed: Uint8Array;
  /** The text may end here. */
  readonly complete: boolean;
}

/** Checks text against grammars. Rejects with an Error if a grammar cannot be used, or after `close`. */
export interface GrammarEngine {
  /** Compiles a grammar, so that `start` is quick. */
  prepare(grammar: string): Promise<void>;
  /** A matcher that has accepted as many of these texts as fit, and how many those are. */
  start(
    grammar: string,
    texts: readonly string[],
  ): Promise<{ readonly matcher: GrammarMatcher; readonly accepted: number }>;
  close(): Promise<void>;
}

/** A model's tokens, as grammars see them. */
export interface GrammarVocabulary {
  /** Width of the logits. */
  readonly size: number;
  /** UTF-8 of a token; undefined for an id without one. */
  bytesOf(id: number): Uint8Array | undefined;
  readonly stopIds: readonly number[];
}
