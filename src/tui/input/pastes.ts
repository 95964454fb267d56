/** A text with placeholders, and the large pastes that they stand for. */
export interface Folded {
  readonly text: string;
  readonly pastes: readonly string[];
}

/** Pastes above either limit are folded to a placeholder. */
const FOLD_LINES = 10;
const FOLD_CHARS = 1000;
export const PLACEHOLDER = /\[Pasted text #(\d+): \d+ lines?\]/g;

/** Text that may name a file or a resource, with trailing punctuation; the beginning of a long one decides as well. */
const NAME = /(?<![^\s([{"'])@(?:"[^"\n]{1,250}"|'[^'\n]{1,250}'|(?:\\ |\S){1,250})/g;
/** Also one within another: an edit may take away the quotes around it. */
const ANY_NAME = new RegExp(`(?=(${NAME.source}))`, 'g');
const PUNCTUATION = /[.,;:!?)\]}>"'\u2019\u201d]/;

export function isLarge(pasted: string): boolean {
  return lineCount(pasted) > FOLD_LINES || pasted.length > FOLD_CHARS;
}

/** The placeholder of the paste with this index. */
export function placeholder(index: number, pasted: string): string {
  const lines = lineCount(pasted);
  return `[Pasted text #${index + 1}: ${lines} ${lines === 1 ? 'line' : 'lines'}]`;
}

/** The text with each placeholder replaced by its paste. */
export function expandPastes({ text, pastes }: Folded): string {
  return text.replaceAll(PLACEHOLDER, (mark, number: string) => pastes[Number(number) - 1] ?? mark);
}

/** Renumbers the prompt's placeholders for `present`, and adds those of its pastes that `present` lacks. */
export function withPastes({ text, pastes }: Folded, present: readonly string[]): Folded {
  const all = [...present];
  const renumbered = text.replaceAll(PLACEHOLDER, (mark, number: string) => {
    const pasted = pastes[Number(number) - 1];
    if (pasted === undefined) return mark;
    if (!all.includes(pasted)) all.push(pasted);
    return placeholder(all.indexOf(pasted), pasted);
  });
  return { text: renumbered, pastes: all };
}

/**
 * An expanded text folded again after an edit. Of a paste that the edit has changed, what may name a file or a resource is
 * folded, unless it is named more often than before: whoever edits a paste has not typed the rest of it.
 */
export function foldAgain(before: Folded, edited: string): Folded {
  const used = new Set([...before.text.matchAll(PLACEHOLDER)].map(([, number]) => Number(number) - 1));
  const pastes = [...before.pastes];
  const changed: string[] = [];
  let text = edited;
  for (const index of used) {
    const pasted = pastes[index];
    if (pasted === undefined) continue;
    const folded = isLarge(pasted) ? foldWhole(text, pasted, placeholder(index, pasted)) : text;
    if (folded === text) changed.push(pasted);
    text = folded;
  }
  return { text: withoutNames(before, { text, pastes }, changed), pastes };
}

/** Folds what the changed pastes name; adds to `pastes`. */
function withoutNames(
  before: Folded,
  { text, pastes }: { readonly text: string; readonly pastes: string[] },
  changed: readonly string[],
): string {
  const foreign = countNames(changed.join('\n'));
  const typed = countNames(before.text);
  const now = countNames(text);
  return text.replaceAll(NAME, found => {
    const name = withoutPunctuation(found);
    const isForeign = (foreign.get(name) ?? 0) >= (now.get(name) ?? 0);
    if (!isForeign || typed.has(name)) return found;
    pastes.push(name);
    return placeholder(pastes.length - 1, name) + found.slice(name.length);
  });
}

/** Editors take away or add empty lines at the end. */
function foldWhole(text: string, pasted: string, mark: string): string {
  const trimmed = pasted.trimEnd();
  if (!text.includes(pasted) && text.endsWith(trimmed)) return text.slice(0, -trimmed.length) + mark;
  return text.replaceAll(pasted, () => mark);
}

/** How often each is named. */
function countNames(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [, found = ''] of text.matchAll(ANY_NAME)) {
    const name = withoutPunctuation(found);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

function withoutPunctuation(found: string): string {
  if (/^@(["']).+\1$/.test(found)) return found;
  let end = found.length;
  while (PUNCTUATION.test(found[end - 1] ?? '')) end -= 1;
  return found.slice(0, end);
}

/** A line break at the end begins no line. */
const lineCount = (text: string): number => text.replace(/\n$/, '').split('\n').length;
