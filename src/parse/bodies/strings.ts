import type { StringSpan } from '../types/format.ts';

export const JSON_STRINGS: readonly StringSpan[] = [{ opener: '"', closer: '"', escapes: true }];

export const PYTHON_STRINGS: readonly StringSpan[] = [
  { opener: '"', closer: '"', escapes: true },
  { opener: "'", closer: "'", escapes: true },
];

/** The openers of values; a format without quotes has its tags instead. */
export function rawSpan(opener: string, closer: string): StringSpan {
  return { opener, closer, escapes: false };
}

/** A body of JSON follows an opener. */
export const JSON_FOLLOWS = { starts: /^\s{0,32}[{[]/, may: /^\s{0,32}$/ };
