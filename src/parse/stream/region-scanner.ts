import type { CallRegion, StringSpan } from '../types/format.ts';
import type { ParserProgress } from '../types/parse-event.ts';
import { DelimiterSearch } from './delimiter-search.ts';

/** `wait`: more text is needed; otherwise how the call ended: by its closer, its last bracket, or another opener. */
export type ScanEnd = 'wait' | 'closer' | 'value' | 'opener';

const OPENING = ['{', '['];
const CLOSING = ['}', ']'];
// A backslash escapes the next character; at the end of the text, wait for that.
const ESCAPE = '\\\\[\\s\\S]';

/** A region's marks, prepared for the scanner once per reply. */
export class RegionMarks {
  readonly region: CallRegion;
  /** Ends if there are no strings or brackets. */
  readonly plain: DelimiterSearch;
  readonly beforeBrackets: DelimiterSearch;
  readonly quoted: DelimiterSearch;
  readonly unquoted: DelimiterSearch;
  readonly inString: ReadonlyMap<StringSpan, DelimiterSearch>;
  readonly ends: readonly string[];

  constructor(region: CallRegion) {
    const { closer, strings } = region;
    this.region = region;
    this.ends = [...(region.breakers ?? [region.opener]), ...(closer === undefined ? [] : [closer])];
    const brackets = closer === undefined ? [...OPENING, ...CLOSING] : [];
    this.plain = new DelimiterSearch(this.ends);
    this.beforeBrackets = new DelimiterSearch([...this.ends, region.bracketsAfter ?? '']);
    this.unquoted = new DelimiterSearch([...this.ends, ...brackets]);
    this.quoted = new DelimiterSearch([...this.ends, ...brackets, ...strings.map(span => span.opener)]);
    this.inString = new Map(
      strings.map(span => [
        span,
        new DelimiterSearch([span.closer, closer ?? ''], span.escapes ? ESCAPE : undefined),
      ]),
    );
  }
}

/** Collects a call from its opener to its end. Nothing inside a string ends it. */
export class RegionScanner {
  private readonly marks: RegionMarks;
  private readonly parts: string[];
  private length: number;
  private readonly trustStrings: boolean;
  /** undefined until the body's first character shows its kind. */
  private search: DelimiterSearch | undefined;
  private span: StringSpan | undefined;
  private depth: number;
  private firstQuotedEnd: number | undefined;

  constructor(marks: RegionMarks, trustStrings: boolean) {
    this.marks = marks;
    this.parts = [marks.region.opener];
    this.length = marks.region.opener.length;
    this.depth = marks.region.opener.endsWith('[') ? 1 : 0;
    this.trustStrings = trustStrings;
  }

  /** Continues from `from`; returns how far it got. With `final`, reads everything. */
  scan(text: string, from: number, final: boolean): { at: number; end: ScanEnd } {
    let at = from;
    if (!this.search) {
      while (at < text.length && /\s/.test(text[at] as string)) at += 1;
      if (at >= text.length) return { at: this.take(text, from, at), end: 'wait' };
      this.search = this.searchFor(text[at] as string);
    }
    while (true) {
      const search = (this.span && this.marks.inString.get(this.span)) ?? this.search;
      const match = search.find(text, at, final);
      if (!match) {
        const held = final ? 0 : Math.max(search.heldLength(text, at), this.danglingEscape(text, at));
        return { at: this.take(text, from, text.length - held), end: 'wait' };
      }
      at = match.end;
      const end = this.span ? this.inString(match.mark, at - from) : this.outside(match.mark);
      if (end === 'opener') return { at: this.take(text, from, match.start), end };
      if (end) return { at: this.take(text, from, at), end };
    }
  }

  /** Everything read, including the opener. */
  get raw(): string {
    return this.parts.join('');
  }

  /** The length of `raw` up to a closer inside a string; undefined if there was none. */
  get doubtfulEnd(): number | undefined {
    return this.firstQuotedEnd;
  }

  private searchFor(first: string): DelimiterSearch {
    const { region } = this.marks;
    const isBracket = OPENING.includes(first);
    if (region.bracketsAfter !== undefined && !isBracket) return this.marks.beforeBrackets;
    const trusted = this.trustStrings && (region.stringsIf?.test(first) ?? true);
    if (trusted) return this.marks.quoted;
    return isBracket ? this.marks.unquoted : this.marks.plain;
  }

  private inString(mark: string, read: number): ScanEnd | undefined {
    if (mark === this.span?.closer) this.span = undefined;
    else if (mark === this.marks.region.closer) this.firstQuotedEnd ??= this.length + read;
    return undefined;
  }

  private outside(mark: string): ScanEnd | undefined {
    const { region } = this.marks;
    if (mark === region.closer) return 'closer';
    if (this.marks.ends.includes(mark)) return 'opener';
    if (mark === region.bracketsAfter) {
      this.search = this.trustStrings ? this.marks.quoted : this.marks.unquoted;
      return undefined;
    }
    const span = this.search === this.marks.quoted && region.strings.find(one => one.opener === mark);
    if (span) {
      this.span = span;
      return undefined;
    }
    if (OPENING.includes(mark)) this.depth += 1;
    else if (CLOSING.includes(mark)) this.depth -= 1;
    return this.depth <= 0 ? 'value' : undefined;
  }

  private take(text: string, from: number, to: number): number {
    this.parts.push(text.slice(from, to));
    this.length += to - from;
    return to;
  }

  private danglingEscape(text: string, at: number): number {
    return this.span?.escapes && text.length > at && text.endsWith('\\') ? 1 : 0;
  }
}

/** Progress of a parser that holds back `pending` after what the scanner of an open call has read. */
export function progressOf(
  call: { readonly region: CallRegion; readonly scanner: RegionScanner; readonly bare: boolean } | undefined,
  pending: string,
): ParserProgress {
  if (!call) return { pending: pending.length, call: undefined };
  const { region, bare } = call;
  const text = call.scanner.raw + pending;
  return { pending: text.length, call: { region, bare, body: text.slice(region.opener.length) } };
}
