export interface Match {
  readonly mark: string;
  readonly start: number;
  readonly end: number;
}

/** Finds the first of several literal marks, and how much of a text's end may still become one. */
export class DelimiterSearch {
  private readonly marks: readonly string[];
  private readonly pattern: RegExp | undefined;
  private readonly longest: number;

  /** `extra`: a regular expression to find as well, for marks that are not literals. */
  constructor(marks: readonly string[], extra?: string) {
    this.marks = marks.filter(mark => mark !== '');
    this.longest = Math.max(0, ...this.marks.map(mark => mark.length));
    const literals = [...this.marks].sort((a, b) => b.length - a.length).map(escapeRegExp);
    const all = [...(extra === undefined ? [] : [extra]), ...literals];
    this.pattern = all.length > 0 ? new RegExp(all.join('|'), 'g') : undefined;
  }

  /** With `final`, the start of a longer mark at the end of the text counts as the shorter mark. */
  find(text: string, from: number, final: boolean): Match | undefined {
    if (!this.pattern) return undefined;
    this.pattern.lastIndex = from;
    const match = this.pattern.exec(text);
    if (!match) return undefined;
    const start = match.index;
    if (!final && start > text.length - this.longest) {
      // A longer mark that starts no later may still be incomplete.
      if (text.length - this.heldLength(text, from) <= start) return undefined;
    }
    return { mark: match[0], start, end: start + match[0].length };
  }

  /** Length of the longest end of `text` (from `from` on) that could start a mark. */
  heldLength(text: string, from: number): number {
    for (let length = Math.min(this.longest - 1, text.length - from); length > 0; length--) {
      const tail = text.slice(text.length - length);
      if (this.marks.some(mark => mark.length > length && mark.startsWith(tail))) return length;
    }
    return 0;
  }
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
