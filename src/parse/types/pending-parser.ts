import type { ParseEvent, ParserEnd, ReplyParser } from './parse-event.ts';

/** Text comes in until the reply ends, once; what is still undecided stays in `pending`. */
export abstract class PendingParser implements ReplyParser {
  protected pending = '';
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

  /** Reads `pending` as far as it is decided; `final`: nothing more follows. */
  protected abstract advance(final: boolean): ParseEvent[];
}
