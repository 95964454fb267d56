import { createHash } from 'node:crypto';
import { pieceOf } from './result-limit.ts';

/** A long result, of which the model has seen the beginning. */
export interface KeptResult {
  readonly reference: string;
  /** The tool it came from. */
  readonly tool: string;
  readonly text: string;
  /** UTF-16 units of what the tool returned; only the first `MAX_RESULT_CHARS` are kept. */
  readonly length: number;
  /** UTF-16 units in a part. */
  readonly partChars: number;
}

const MAX_RESULTS = 20;
/** UTF-16 units of one result, and of all. */
const MAX_RESULT_CHARS = 1_000_000;
const MAX_CHARS = 8_000_000;
/** Digits of a reference; more where two results would share one. */
const DIGITS = 5;

/**
 * The long results of one conversation, the ones used last. A reference is made from tool and text: it means the same
 * result in every conversation, or none, and a conversation held again reads the same.
 */
export class KeptResults {
  readonly #kept = new Map<string, KeptResult>();
  #chars = 0;

  /** Keeps a result; the one used longest ago goes if there are too many. */
  keep(tool: string, whole: string, partChars: number): KeptResult {
    const text = pieceOf(whole, 0, MAX_RESULT_CHARS);
    const result = { reference: this.#referenceOf(tool, text), tool, text, length: whole.length, partChars };
    this.add(result);
    return result;
  }

  /** Divides a result into parts of another length. */
  divide(result: KeptResult, partChars: number): KeptResult {
    const divided = { ...result, partChars };
    this.add(divided);
    return divided;
  }

  /** Keeps one of an earlier request of the same conversation. */
  add(result: KeptResult): void {
    this.#remove(result.reference);
    this.#kept.set(result.reference, result);
    this.#chars += result.text.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MAX_RESULTS && this.#chars <= MAX_CHARS) break;
      this.#remove(oldest);
    }
  }

  find(reference: string): KeptResult | undefined {
    const found = this.#kept.get(reference);
    if (found === undefined) return undefined;
    this.#kept.delete(reference);
    this.#kept.set(reference, found);
    return found;
  }

  /** The one used last first. */
  all(): readonly KeptResult[] {
    return [...this.#kept.values()].reverse();
  }

  get isEmpty(): boolean {
    return this.#kept.size === 0;
  }

  clear(): void {
    this.#kept.clear();
    this.#chars = 0;
  }

  #referenceOf(tool: string, text: string): string {
    const hash = createHash('sha256').update(`${tool}\0${text}`).digest('hex');
    for (let digits = DIGITS; ; digits += 1) {
      const reference = `r${hash.slice(0, digits)}`;
      const other = this.#kept.get(reference);
      if (other === undefined || (other.tool === tool && other.text === text)) return reference;
    }
  }

  #remove(reference: string): void {
    this.#chars -= this.#kept.get(reference)?.text.length ?? 0;
    this.#kept.delete(reference);
  }
}

export function partCount({ text, partChars }: KeptResult): number {
  return Math.ceil(text.length / partChars);
}

/** A part, counted from 1; the first is what the model saw when the tool was called. */
export function partOf({ text, partChars }: KeptResult, part: number): string {
  return pieceOf(text, (part - 1) * partChars, Math.min(text.length, part * partChars));
}

/** Where `shown` stands, the part that had this number when parts were as long as it; -1: it is of another result. */
export function placeOf({ text }: KeptResult, shown: string, part: number | 'last'): number {
  if (part === 'last') return text.endsWith(shown) ? text.length - shown.length : -1;
  // A part may be a unit shorter or longer, where it would have split a character.
  const least = Math.max(0, (part - 1) * (shown.length - 1) - 1);
  const at = text.indexOf(shown, least);
  return at <= (part - 1) * (shown.length + 1) ? at : -1;
}
