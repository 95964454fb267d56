import type { ParseEvent, ParserEnd, ToolParser } from './parse-event.ts';

/** The course of a reply: text comes in until it ends, once; what is not settled yet stays in `pending`. */
export abstract class PendingParser implements ToolParser {
  protected pending = '';
  /** The model ended the reply itself. */
  protected finished = false;
  #ended = false;

  push(text: string): ParseEvent[] {
    if (this.#ended) throw new Error('ToolParser.push() after end(): make a new parser for every reply');
    this.pending += text;
    return this.advance(false);
  }

  end({ finished = false }: ParserEnd = {}): ParseEvent[] {
    if (this.#ended) return [];
    this.#ended = true;
    this.finished = finished;
    return this.advance(true);
  }

  /** Reads `pending` as far as it is certain; with `final` nothing more comes. */
  protected abstract advance(final: boolean): ParseEvent[];
}
