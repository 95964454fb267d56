import type { CallRegion } from './format.ts';

/** What the stream parser makes of the model's text. Spans of all events tile the input: no byte is lost or doubled. */
export type ParseEvent =
  | { readonly type: 'content'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  | {
      readonly type: 'call';
      /** As the model wrote it; it need not be the name of a tool. */
      readonly name: string;
      /** Whole numbers whose digits a number cannot hold are bigints. */
      readonly arguments: Readonly<Record<string, unknown>>;
      /** The exact text, delimiters included; empty for further calls of the same text. */
      readonly raw: string;
      /** The text was broken and had to be completed; only the tool's schema can tell if this was meant. */
      readonly guessed?: boolean;
    }
  | {
      readonly type: 'malformed';
      readonly raw: string;
      readonly reason: string;
      readonly truncated?: boolean;
    };

export interface ParserEnd {
  /** The model ended the reply itself; an unclosed call may then be completed. Default false: it may be cut off. */
  readonly finished?: boolean;
}

/** A call whose text is being read. */
export interface OpenCall {
  readonly region: CallRegion;
  /** It has no marks: only its end shows if it is a call. */
  readonly bare: boolean;
  /** What stands behind the opener so far. */
  readonly body: string;
}

/** How far a parser is in the text that it was given. */
export interface ParserProgress {
  /** Characters of the text that no event has told of yet, and that are no marks: all of them stand at its end. */
  readonly pending: number;
  readonly call: OpenCall | undefined;
}

export interface ToolParser {
  push(text: string): ParseEvent[];
  /** The end of the reply: releases what was held back; a cut-off call becomes `malformed`. */
  end(how?: ParserEnd): ParseEvent[];
  /** Not every parser can tell. */
  progress?(): ParserProgress;
}
