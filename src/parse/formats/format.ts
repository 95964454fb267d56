/** A pair of literal marks around a region of the model's text. */
export interface Delimiters {
  readonly opener: string;
  readonly closer: string;
}

/** One call as its format's body gives it. */
export interface BodyCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** How the text between opener and closer is read. `quotes`: a closer inside a JSON string does not end the body. */
export interface BodyKind {
  readonly quotes: boolean;
  /** The calls in a body, at least one; or what is wrong with it, in words that a model can act on. */
  read(body: string): readonly BodyCall[] | { readonly reason: string };
}

/** How a family of models writes and reads tool calls. One row of the table, one file. */
export interface ChatFormat {
  readonly id: string;
  /** Substrings of a chat template; any of them chooses this format. */
  readonly when: readonly string[];
  readonly call: Delimiters;
  readonly body: BodyKind;
  readonly thinking: Delimiters;
  /** A call's text, for templates that do not show past calls. */
  writeCall(call: BodyCall): string;
  /** A result's text, for templates that have no tool role. */
  writeResult(content: string): string;
  /** Stop strings of the format itself; the model's own stop ids come on top. */
  readonly stops: readonly string[];
}
