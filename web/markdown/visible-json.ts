/** Characters that JSON leaves as they are although nobody sees them: formats, other spaces, private characters. */
const UNSEEN = /(?![\n ])[\p{C}\p{Zl}\p{Zp}\p{Zs}]/gu;

/** A value as JSON in which nothing is hidden: the user decides by it. */
export function visibleJson(value: unknown): string {
  return (JSON.stringify(value, undefined, 2) ?? '').replace(UNSEEN, character =>
    Array.from({ length: character.length }, (_, index) => escapeOf(character.charCodeAt(index))).join(''),
  );
}

const escapeOf = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`;
