import type { CallRegion } from './format.ts';

/** An event of the stream parser. The spans of all events tile the input: no byte is lost or duplicated. */
export type ParseEvent =
  | { readonly type: 'content'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  | {
      readonly type: 'call';
      /** As the model wrote it; it may not be the name of a tool. */
      readonly name: string;
      /** Integers beyond the range of a number are bigints. */
      readonly arguments: Readonly<Record<string, unknown>>;
      /** The exact text with delimiters; empty for further calls in the same text. */
      readonly raw: string;
      /** Completed from broken text; only the schema of the tool can tell if this was meant. */
      readonly guessed?: boolean;
    }
  | {
      readonly type: 'malformed';
      readonly raw: string;
      readonly reason: string;
      readonly truncated?: boolean;
    };

export interface ParserEnd {
  /** The model itself ended the reply, so an unclosed call may be completed. Default false: it may be cut off. */
  readonly finished?: boolean;
}

/** A call still being read. */
export interface OpenCall {
  readonly region: CallRegion;
  /** Without marks: only its end shows whether it is a call. */
  readonly bare: boolean;
  /** The text after the opener so far. */
  readonly body: string;
}

/** How far a parser has got in its text. */
export interface ParserProgress {
  /** Characters at the end of the text that no event covers yet and that are not marks. */
  readonly pending: number;
  readonly call: OpenCall | undefined;
}

export interface ToolParser {
  push(text: string): ParseEvent[];
  /** Ends the reply: releases what was held back; a cut-off call becomes `malformed`. */
  end(how?: ParserEnd): ParseEvent[];
}

/** One that grammars can follow. */
export interface ReplyParser extends ToolParser {
  /** Not every parser can tell. */
  progress?(): ParserProgress;
}
