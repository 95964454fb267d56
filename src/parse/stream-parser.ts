import { CallMarks, CallScanner } from './call-scanner.ts';
import { DelimiterSearch, type Match } from './delimiter-search.ts';
import type { ChatFormat } from './formats/format.ts';
import type { ParseEvent, ToolParser } from './parse-event.ts';

export interface StreamParserOptions {
  readonly startsInThinking: boolean;
  /** Look for thinking marks at all; without, they are plain text. */
  readonly thinking: boolean;
}

/** An opener inside thinking starts a call only if a JSON body follows within so much whitespace. */
const MAX_GAP = 32;

/** Where reading goes on; `wait`: not before there is more text. `restart` takes the place of the text. */
interface Step {
  readonly at: number;
  readonly wait: boolean;
  readonly restart?: string;
}

/**
 * Cuts a reply into content, thinking and calls as it streams in. However the text is split, the events are the
 * same once adjacent content is merged, and their texts and raws, with the thinking marks put back, are the input.
 * Only a possible mark and the body of an open call are held back; no character is read more than a few times.
 */
export class StreamParser implements ToolParser {
  private readonly format: ChatFormat;
  private readonly inContent: DelimiterSearch;
  private readonly inThinking: DelimiterSearch;
  private readonly callMarks: CallMarks;
  private thinks: boolean;
  private pending = '';
  private scanner: CallScanner | undefined;
  /** Until a broken string swallows a closer; from then on the first closer ends a call. */
  private trustQuotes: boolean;
  private ended = false;

  constructor(format: ChatFormat, options: StreamParserOptions) {
    const { call, thinking } = format;
    this.format = format;
    this.inContent = new DelimiterSearch(
      options.thinking ? [call.opener, thinking.opener, thinking.closer] : [call.opener],
    );
    this.inThinking = new DelimiterSearch([call.opener, thinking.closer]);
    this.callMarks = new CallMarks(call);
    this.thinks = options.startsInThinking;
    this.trustQuotes = format.body.quotes;
  }

  push(text: string): ParseEvent[] {
    if (this.ended) throw new Error('ToolParser.push() after end(): make a new parser for every reply');
    this.pending += text;
    return this.advance(false);
  }

  end(): ParseEvent[] {
    if (this.ended) return [];
    this.ended = true;
    return this.advance(true);
  }

  private advance(final: boolean): ParseEvent[] {
    const events: ParseEvent[] = [];
    let text = this.pending;
    let at = 0;
    for (let wait = false; !wait; ) {
      const step = this.scanner
        ? this.readCall(this.scanner, text, at, events, final)
        : this.readText(text, at, events, final);
      text = step.restart ?? text;
      ({ at, wait } = step);
    }
    this.pending = text.slice(at);
    return events;
  }

  private readText(text: string, at: number, events: ParseEvent[], final: boolean): Step {
    const search = this.thinks ? this.inThinking : this.inContent;
    const match = search.find(text, at);
    if (!match) {
      const end = final ? text.length : text.length - search.heldLength(text, at);
      this.emit(events, text.slice(at, end));
      return { at: end, wait: true };
    }
    const { call, thinking } = this.format;
    if (match.mark === call.opener) {
      const starts = this.thinks ? this.startsCall(text, match, final) : true;
      this.emit(events, text.slice(at, starts === false ? match.end : match.start));
      if (starts === undefined) return { at: match.start, wait: true };
      if (starts) {
        this.thinks = false;
        this.scanner = new CallScanner(this.callMarks, this.trustQuotes);
      }
    } else {
      this.emit(events, text.slice(at, match.start));
      this.thinks = match.mark === thinking.opener;
    }
    return { at: match.end, wait: false };
  }

  /** A thought may name the mark without meaning it; undefined until the text behind it decides. */
  private startsCall(text: string, match: Match, final: boolean): boolean | undefined {
    const gap = text.slice(match.end, match.end + MAX_GAP + 1);
    const body = gap.trimStart();
    if (body !== '') return body.startsWith('{') || body.startsWith('[');
    return final || gap.length > MAX_GAP ? false : undefined;
  }

  private readCall(
    scanner: CallScanner,
    text: string,
    at: number,
    events: ParseEvent[],
    final: boolean,
  ): Step {
    const scanned = scanner.scan(text, at, final);
    if (scanned.end === 'wait' && !final) return { at: scanned.at, wait: true };
    this.scanner = undefined;
    const { raw, doubtfulEnd } = scanner;
    const ended = scanned.end !== 'wait';
    const call = this.interpret(raw, scanned.end === 'closer');
    if (!ended && doubtfulEnd !== undefined && call[0]?.type === 'malformed') {
      // A quote too many hid the closer: the call ends there, and what follows was never part of it.
      this.trustQuotes = false;
      events.push(...this.interpret(raw.slice(0, doubtfulEnd), true));
      return { at: 0, wait: false, restart: raw.slice(doubtfulEnd) };
    }
    events.push(...call);
    return { at: scanned.at, wait: !ended };
  }

  private emit(events: ParseEvent[], text: string): void {
    if (text !== '') events.push({ type: this.thinks ? 'thinking' : 'content', text });
  }

  /** A call that was never closed still counts when its body is whole. */
  private interpret(raw: string, closed: boolean): ParseEvent[] {
    const { opener, closer } = this.format.call;
    const result = this.format.body.read(raw.slice(opener.length, closed ? -closer.length : undefined));
    if ('reason' in result) {
      const reason = closed ? result.reason : `the call was cut off before ${closer}: ${result.reason}`;
      return [{ type: 'malformed', raw, reason }];
    }
    return result.map((call, index) => ({ type: 'call', ...call, raw: index === 0 ? raw : '' }));
  }
}
