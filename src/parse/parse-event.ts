/** What the stream parser makes of the model's text. Spans of all events tile the input: no byte is lost or doubled. */
export type ParseEvent =
  | { readonly type: 'content'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  | {
      readonly type: 'call';
      readonly name: string;
      readonly arguments: Readonly<Record<string, unknown>>;
      /** The exact text, delimiters included. */
      readonly raw: string;
    }
  | { readonly type: 'malformed'; readonly raw: string; readonly reason: string };

export interface ToolParser {
  push(text: string): ParseEvent[];
  /** The end of the reply: releases what was held back; a cut-off call becomes `malformed`. */
  end(): ParseEvent[];
}
