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

export interface ToolParser {
  push(text: string): ParseEvent[];
  /** The end of the reply: releases what was held back; a cut-off call becomes `malformed`. */
  end(how?: ParserEnd): ParseEvent[];
}
