import { DelimiterSearch } from './delimiter-search.ts';
import type { Delimiters } from './formats/format.ts';

/** `wait`: more text is needed; `closer`, `opener`: the call ended with its closer, or before another opener. */
export type ScanEnd = 'wait' | 'closer' | 'opener';

/** What the scanner needs to know of a format, made once per reply. */
export class CallMarks {
  readonly delimiters: Delimiters;
  readonly plain: DelimiterSearch;
  readonly quoted: DelimiterSearch;
  readonly inString: DelimiterSearch;

  constructor(delimiters: Delimiters) {
    const { opener, closer } = delimiters;
    this.delimiters = delimiters;
    this.plain = new DelimiterSearch([closer, opener]);
    this.quoted = new DelimiterSearch([closer, opener, '"']);
    // A backslash takes the next character with it; at the end of the text it waits for that character.
    this.inString = new DelimiterSearch([closer, '"'], '\\\\[^]');
  }
}

/** Collects one call, from behind its opener to its end. A closer inside a JSON string does not end it. */
export class CallScanner {
  private readonly marks: CallMarks;
  private readonly parts: string[];
  private length: number;
  /** undefined until the body's first character shows if it is JSON. */
  private quotes: boolean | undefined;
  private inString = false;
  private firstQuotedEnd: number | undefined;

  constructor(marks: CallMarks, trustQuotes: boolean) {
    this.marks = marks;
    this.parts = [marks.delimiters.opener];
    this.length = marks.delimiters.opener.length;
    this.quotes = trustQuotes ? undefined : false;
  }

  /** Reads on from `from`; returns how far it got. With `final`, nothing is left unread. */
  scan(text: string, from: number, final: boolean): { at: number; end: ScanEnd } {
    let at = from;
    if (this.quotes === undefined) {
      while (at < text.length && isJsonSpace(text.charCodeAt(at))) at += 1;
      if (at < text.length) this.quotes = text[at] === '{' || text[at] === '[';
    }
    while (true) {
      const search = this.inString ? this.marks.inString : this.quotes ? this.marks.quoted : this.marks.plain;
      const match = search.find(text, at);
      if (!match) {
        const held = final ? 0 : Math.max(search.heldLength(text, at), this.danglingEscape(text, at));
        return { at: this.take(text, from, text.length - held), end: 'wait' };
      }
      at = match.end;
      if (match.mark === '"') this.inString = !this.inString;
      else if (match.mark === this.marks.delimiters.closer) {
        if (!this.inString) return { at: this.take(text, from, at), end: 'closer' };
        this.firstQuotedEnd ??= this.length + at - from;
      } else if (match.mark === this.marks.delimiters.opener) {
        return { at: this.take(text, from, match.start), end: 'opener' };
      }
    }
  }

  /** All that was read, opener included. */
  get raw(): string {
    return this.parts.join('');
  }

  /** The length of `raw` up to a closer that stood in a string; undefined if there was none. */
  get doubtfulEnd(): number | undefined {
    return this.firstQuotedEnd;
  }

  private take(text: string, from: number, to: number): number {
    this.parts.push(text.slice(from, to));
    this.length += to - from;
    return to;
  }

  private danglingEscape(text: string, at: number): number {
    return this.inString && text.length > at && text.endsWith('\\') ? 1 : 0;
  }
}

function isJsonSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
