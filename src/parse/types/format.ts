/** A pair of literal marks around a region of the model's text. */
export interface Delimiters {
  readonly opener: string;
  readonly closer: string;
}

/** One call as its format's body gives it. */
export interface BodyCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Broken JSON was completed; run it only if the tool's schema fits and no key is unknown. */
  readonly guessed?: boolean;
}

export interface BodyFailure {
  /** What is wrong, in words that a model can act on. */
  readonly reason: string;
}

export type BodyResult = readonly BodyCall[] | BodyFailure;

/** What a body reader knows besides the text. */
export interface BodyContext {
  /** Broken JSON may be completed: the text is known not to be cut off. */
  readonly repair: boolean;
  /** The body is known to have reached its end; else it may be the first part of one. */
  readonly whole: boolean;
  /** JSON Schemas of a tool's parameters by name; undefined for a tool that is not known. */
  parametersOf(tool: string): Readonly<Record<string, unknown>> | undefined;
}

/** The calls in a body, at least one, or what is wrong with it. Must never throw. */
export type ReadBody = (body: string, context: BodyContext) => BodyResult;

/** A span of a body in which no mark counts. */
export interface StringSpan extends Delimiters {
  /** A backslash takes the next character with it. */
  readonly escapes: boolean;
}

/**
 * How a body of JSON is written, so that a grammar can hold a model to the schemas of the tools. `between` and the like
 * are expressions in xgrammar's EBNF.
 */
export type CallLayout =
  | ObjectLayout
  /** A list of objects with the tool's name as their one key. */
  | { readonly kind: 'keyed' }
  | NamedLayout;

/** The name as it stands, then the object of arguments. */
export interface NamedLayout {
  readonly kind: 'named';
  readonly before?: string;
  readonly between: string;
  readonly after?: string;
  /** No space may come before it. */
  readonly atOnce?: boolean;
}

/** An object with the keys of name and arguments, or a list of them. */
export interface ObjectLayout {
  readonly kind: 'object';
  readonly name: string;
  readonly arguments: string;
  /** Keys of texts that may stand before the name, and behind the arguments. */
  readonly before?: readonly string[];
  readonly after?: readonly string[];
  /** Nothing but a list, or a list whose bracket the opener holds. */
  readonly list?: 'only' | 'opened';
}

/** Where calls stand in the text, and how their bodies are read. */
export interface CallRegion {
  readonly opener: string;
  /** Ends the call; undefined: its value's last bracket does, or the next opener, or the end of the reply. */
  readonly closer?: string;
  /** The closer is a token that ends the reply, so that the text may not show it. */
  readonly closerEndsReply?: boolean;
  /** Without a closer: brackets count from this mark on, unless the body begins with one. */
  readonly bracketsAfter?: string;
  /** Spans in which closers, openers and brackets do not count. */
  readonly strings: readonly StringSpan[];
  /** `strings` count only if the body begins so; a body of another kind ends at the first closer. */
  readonly stringsIf?: RegExp;
  /** Further openers that end this call. Default: its own. */
  readonly breakers?: readonly string[];
  /** The body begins with the opener itself. */
  readonly keepsOpener?: boolean;
  /**
   * A thought may name the opener without meaning it. What must follow for the opener to count inside thinking:
   * `starts` matches once it does, `may` as long as it still can. Default: it always counts.
   */
  readonly follows?: { readonly starts: RegExp; readonly may: RegExp };
  readonly read: ReadBody;
  /** Without one, no grammar holds the body. */
  readonly layout?: CallLayout;
}

/** How a family of models writes and reads tool calls. One row of the table, one file. */
export interface ChatFormat {
  readonly id: string;
  /** Marks in a chat template; any entry chooses this format, a list must be there whole. */
  readonly when: readonly (string | readonly string[])[];
  readonly calls: readonly CallRegion[];
  /** The first pair is the one that is written; an empty closer is none. */
  readonly thinking: readonly Delimiters[];
  /** Marks that only give the reply its shape; they are left out of the content. */
  readonly structure?: readonly string[];
  /** A reply, or what follows a call, may be a call without any marks. */
  readonly bare?: boolean;
  /** Of a call without marks. */
  readonly bareLayout?: CallLayout;
  /** What the prompt may end with that belongs to the reply. */
  readonly implied?: string;
  /** A reply that is a sequence of channels needs a parser of its own. */
  readonly channels?: 'harmony';
  /** The text of one message's calls, for templates that do not show them. */
  writeCalls(calls: readonly BodyCall[]): string;
  /** A result's text, for templates that have no tool role. */
  writeResult(content: string, name: string): string;
}
