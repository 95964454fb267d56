/** A pair of literal marks around a region of the model's text. */
export interface Delimiters {
  readonly opener: string;
  readonly closer: string;
}

/** A call as read from its body. */
export interface BodyCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Completed from broken JSON: run it only if it fits the tool's schema and has no unknown key. */
  readonly guessed?: boolean;
}

export interface BodyFailure {
  /** The fault, in words that a model can act on. */
  readonly reason: string;
}

export type BodyResult = readonly BodyCall[] | BodyFailure;

/** A body reader's context besides the text. */
export interface BodyContext {
  /** Broken JSON may be completed: the text was not cut off. */
  readonly repair: boolean;
  /** The body is complete; otherwise it may be only the start of one. */
  readonly whole: boolean;
  /** The schemas of a tool's parameters by name; undefined for an unknown tool. */
  parametersOf(tool: string): Readonly<Record<string, unknown>> | undefined;
}

/** Returns the calls in a body, at least one, or what is wrong with it. Must never throw. */
export type ReadBody = (body: string, context: BodyContext) => BodyResult;

/** A span of a body in which marks do not count. */
export interface StringSpan extends Delimiters {
  /** A backslash escapes the next character. */
  readonly escapes: boolean;
}

/**
 * How a JSON body is laid out, so that a grammar can constrain it to the tools' schemas. `between` and the like are
 * expressions in xgrammar's EBNF.
 */
export type CallLayout =
  | ObjectLayout
  /** A list of objects whose only key is the tool's name. */
  | { readonly kind: 'keyed' }
  | NamedLayout;

/** The bare name, then the object of arguments. */
export interface NamedLayout {
  readonly kind: 'named';
  readonly before?: string;
  readonly between: string;
  readonly after?: string;
  /** No whitespace before it. */
  readonly atOnce?: boolean;
}

/** An object with keys for name and arguments, or a list of them. */
export interface ObjectLayout {
  readonly kind: 'object';
  readonly name: string;
  readonly arguments: string;
  /** Keys with string values allowed before the name, and after the arguments. */
  readonly before?: readonly string[];
  readonly after?: readonly string[];
  /** Always a list, or a list whose bracket is part of the opener. */
  readonly list?: 'only' | 'opened';
}

/** Where calls are in the text, and how their bodies are read. */
export interface CallRegion {
  readonly opener: string;
  /** Ends the call. undefined: its value's last bracket, the next opener or the end of the reply does. */
  readonly closer?: string;
  /** The closer is a token that ends the reply, so the text may not show it. */
  readonly closerEndsReply?: boolean;
  /** Without a closer: count brackets from this mark on, unless the body starts with one. */
  readonly bracketsAfter?: string;
  /** Spans in which closers, openers and brackets do not count. */
  readonly strings: readonly StringSpan[];
  /** `strings` only apply if the body starts like this; any other body ends at the first closer. */
  readonly stringsIf?: RegExp;
  /** Other openers that end this call. Default: its own. */
  readonly breakers?: readonly string[];
  /** The body includes the opener. */
  readonly keepsOpener?: boolean;
  /**
   * Thinking may mention the opener without meaning it. What must follow for it to count there: `starts` matches once
   * it does, `may` while it still can. Default: it always counts.
   */
  readonly follows?: { readonly starts: RegExp; readonly may: RegExp };
  readonly read: ReadBody;
  /** Without one, no grammar can constrain the body. */
  readonly layout?: CallLayout;
}

/** How a family of models writes and reads tool calls: one file, and one entry in the table. */
export interface ChatFormat {
  readonly id: string;
  /** Marks in a chat template that select this format: any entry of the list; a nested list must all be there. */
  readonly when: readonly (string | readonly string[])[];
  readonly calls: readonly CallRegion[];
  /** The first pair is used for writing; an empty closer means none. */
  readonly thinking: readonly Delimiters[];
  /** Marks that only structure the reply and are left out of the content. */
  readonly structure?: readonly string[];
  /** Marks around calls, likewise: plain text where there is nothing to call. */
  readonly callStructure?: readonly string[];
  /** A reply, or what follows a call, may be a call without any marks. */
  readonly bare?: boolean;
  /** The layout of a call without marks. */
  readonly bareLayout?: CallLayout;
  /** An end of the prompt that belongs to the reply. */
  readonly implied?: string;
  /** The reply is a sequence of channels, which needs its own parser. */
  readonly channels?: 'harmony';
  /** The text of a message's calls, for templates that do not render them. */
  writeCalls(calls: readonly BodyCall[]): string;
  /** The text of a result, for templates without a tool role. */
  writeResult(content: string, name: string): string;
}
