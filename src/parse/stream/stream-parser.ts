import { settleCalls } from '../calls/settle-calls.ts';
import type { ToolCatalog } from '../calls/tool-catalog.ts';
import type { CallRegion, ChatFormat } from '../types/format.ts';
import type { ParseEvent, ParserProgress } from '../types/parse-event.ts';
import { PendingParser } from '../types/pending-parser.ts';
import { bareRegion } from './bare-call.ts';
import { DelimiterSearch, type Match } from './delimiter-search.ts';
import { progressOf, RegionMarks, RegionScanner } from './region-scanner.ts';

export interface StreamParserOptions {
  readonly startsInThinking: boolean;
  /** Look for thinking marks; otherwise they are plain text. */
  readonly thinking: boolean;
  readonly tools: ToolCatalog;
  /** The part of the reply that the prompt already ended with. */
  readonly implied: string;
}

/** Where to continue; `wait`: only with more text. `restart` replaces the text. */
interface Step {
  readonly at: number;
  readonly wait: boolean;
  readonly restart?: string;
}

interface OpenCall {
  readonly region: CallRegion;
  readonly scanner: RegionScanner;
  /** Without marks: if it turns out not to be a call, it is content. */
  readonly bare: boolean;
}

/**
 * Cuts a reply into content, thinking and calls as it streams in. However the text is split, the events are the
 * same once adjacent content is merged, and their texts and raws, with the marks put back, are the input. Only a
 * possible mark and the body of an open call are held back; no character is read more than a few times.
 */
export class StreamParser extends PendingParser {
  private readonly format: ChatFormat;
  private readonly tools: ToolCatalog;
  private readonly inContent: DelimiterSearch;
  private readonly inThinking: DelimiterSearch;
  private readonly regions: ReadonlyMap<string, RegionMarks>;
  private readonly thinkingOpeners: ReadonlySet<string>;
  private thinks: boolean;
  private call: OpenCall | undefined;
  /** Only whitespace, thinking or bare calls so far, so a call without marks may start here. */
  private bareHere: boolean;
  /** Until a broken string swallows a closer; from then on the first closer ends a call. */
  private trustStrings = true;
  /** Characters of the implied opening that are not part of the reply. */
  private implied: number;

  constructor(format: ChatFormat, options: StreamParserOptions) {
    super();
    const openers = format.calls.map(region => region.opener);
    const structure = [...(format.structure ?? []), ...(format.callStructure ?? [])];
    const closers = format.thinking.map(pair => pair.closer);
    this.thinkingOpeners = new Set(format.thinking.map(pair => pair.opener));
    this.format = format;
    this.tools = options.tools;
    this.regions = new Map(format.calls.map(region => [region.opener, new RegionMarks(region)]));
    const marks = options.thinking ? [...this.thinkingOpeners, ...closers] : [];
    this.inContent = new DelimiterSearch([...openers, ...structure, ...marks]);
    this.inThinking = new DelimiterSearch([...openers, ...closers]);
    this.thinks = options.startsInThinking;
    this.pending = options.implied;
    this.implied = options.implied.length;
    this.bareHere = (format.bare ?? false) || options.tools.size > 0;
  }

  progress(): ParserProgress {
    return progressOf(this.call, this.pending);
  }

  protected override advance(final: boolean): ParseEvent[] {
    const events: ParseEvent[] = [];
    let text = this.pending;
    let at = 0;
    for (let wait = false; !wait; ) {
      const step = this.call
        ? this.readCall(this.call, text, at, events, final)
        : this.readText(text, at, events, final);
      text = step.restart ?? text;
      ({ at, wait } = step);
    }
    this.pending = text.slice(at);
    return events;
  }

  private readText(text: string, at: number, events: ParseEvent[], final: boolean): Step {
    if (this.bareHere && !this.thinks) {
      const region = bareRegion(text, at, final);
      if (region === 'wait') return { at, wait: true };
      this.bareHere = false;
      if (region !== 'no') {
        this.open(new RegionMarks(region), true);
        return { at: at + region.opener.length, wait: false };
      }
    }
    const search = this.thinks ? this.inThinking : this.inContent;
    const match = search.find(text, at, final);
    if (!match) {
      const end = final ? text.length : text.length - search.heldLength(text, at);
      this.emit(events, text.slice(at, end));
      return { at: end, wait: true };
    }
    return this.readMark(match, text, at, events, final);
  }

  private readMark(match: Match, text: string, at: number, events: ParseEvent[], final: boolean): Step {
    const marks = this.regions.get(match.mark);
    if (marks) {
      const starts = this.thinks ? startsCall(marks.region, text.slice(match.end), final) : true;
      this.emit(events, text.slice(at, starts === false ? match.end : match.start));
      if (starts === undefined) return { at: match.start, wait: true };
      if (starts) this.open(marks, false);
      return { at: match.end, wait: false };
    }
    this.emit(events, text.slice(at, match.start));
    this.own(match.mark);
    if (this.thinkingOpeners.has(match.mark) && !this.thinks) {
      this.thinks = true;
    } else if (this.format.thinking.some(pair => pair.closer === match.mark)) {
      this.bareHere ||= this.thinks && this.tools.size > 0;
      this.thinks = false;
    }
    return { at: match.end, wait: false };
  }

  private open(marks: RegionMarks, bare: boolean): void {
    this.thinks = false;
    this.call = { region: marks.region, scanner: new RegionScanner(marks, this.trustStrings), bare };
  }

  private readCall(call: OpenCall, text: string, at: number, events: ParseEvent[], final: boolean): Step {
    const { scanner, region, bare } = call;
    const scanned = scanner.scan(text, at, final);
    if (scanned.end === 'wait' && !final) return { at: scanned.at, wait: true };
    this.call = undefined;
    const { raw, doubtfulEnd } = scanner;
    const ended = scanned.end !== 'wait';
    const found = this.interpret(region, raw, scanned.end);
    if (bare && !this.isMeant(found, raw)) {
      return { at: 0, wait: false, restart: raw + text.slice(scanned.at) };
    }
    if (!ended && doubtfulEnd !== undefined && found[0]?.type === 'malformed') {
      // A stray quote hid the closer: the call ends there, and what followed was never part of it.
      this.trustStrings = false;
      this.add(events, this.interpret(region, raw.slice(0, doubtfulEnd), 'closer'));
      return { at: 0, wait: false, restart: raw.slice(doubtfulEnd) };
    }
    this.bareHere = bare;
    this.add(events, found);
    return { at: scanned.at, wait: !ended };
  }

  /** JSON without marks is a call only if it names a tool. */
  private isMeant(found: readonly ParseEvent[], raw: string): boolean {
    if (found[0]?.type === 'malformed') {
      const name = /["'](?:name|tool_name|tool)["']\s*:\s*["']([^"']+)["']/.exec(raw)?.[1];
      return name !== undefined && this.tools.knows(name);
    }
    const looksLikeCall = this.format.bare && /["'](?:parameters|arguments)["']\s*:/.test(raw);
    return looksLikeCall || found.every(event => event.type === 'call' && this.tools.knows(event.name));
  }

  private emit(events: ParseEvent[], text: string): void {
    const own = this.own(text);
    if (own !== '') events.push({ type: this.thinks ? 'thinking' : 'content', text: own });
  }

  private add(events: ParseEvent[], found: readonly ParseEvent[]): void {
    for (const event of found) events.push('raw' in event ? { ...event, raw: this.own(event.raw) } : event);
  }

  /** The part of a text that the prompt does not imply. */
  private own(text: string): string {
    const cut = Math.min(this.implied, text.length);
    this.implied -= cut;
    return text.slice(cut);
  }

  /** An unclosed call still counts if its body is complete. */
  private interpret(region: CallRegion, raw: string, end: string): ParseEvent[] {
    const { opener, closer = '', keepsOpener = false, read } = region;
    const atCloser = end === 'closer';
    const body = raw.slice(
      keepsOpener ? 0 : opener.length,
      atCloser && !keepsOpener ? -closer.length : undefined,
    );
    // Without a closer of its own, a call properly ends when another starts.
    const closed = atCloser || end === 'value' || (end === 'opener' && closer === '');
    const cut = !closed && !(end === 'wait' && this.finished);
    return settleCalls(read, { raw, body, closed, cut }, this.tools);
  }
}

/** Thinking may mention an opener without meaning it; undefined until the text after it decides. */
function startsCall({ follows }: CallRegion, after: string, final: boolean): boolean | undefined {
  if (!follows || follows.starts.test(after)) return true;
  return !final && follows.may.test(after) ? undefined : false;
}
