export interface Match {
  readonly mark: string;
  readonly start: number;
  readonly end: number;
}

/** Finds the first of several literal marks, and how much of a text's end may still become one. */
export class DelimiterSearch {
  private readonly marks: readonly string[];
  private readonly pattern: RegExp;
  private readonly longest: number;

  /** `extra` is a further regular expression to find, for marks that are no literals. */
  constructor(marks: readonly string[], extra?: string) {
    this.marks = marks;
    this.longest = Math.max(...marks.map(mark => mark.length));
    const literals = [...marks].sort((a, b) => b.length - a.length).map(escapeRegExp);
    this.pattern = new RegExp([...(extra === undefined ? [] : [extra]), ...literals].join('|'), 'g');
  }

  find(text: string, from: number): Match | undefined {
    this.pattern.lastIndex = from;
    const match = this.pattern.exec(text);
    return match ? { mark: match[0], start: match.index, end: match.index + match[0].length } : undefined;
  }

  /** Length of the longest end of `text` (from `from` on) that a mark begins with. */
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
