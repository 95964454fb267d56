import type { StringSpan } from '../types/format.ts';

export const JSON_STRINGS: readonly StringSpan[] = [{ opener: '"', closer: '"', escapes: true }];

export const PYTHON_STRINGS: readonly StringSpan[] = [
  { opener: '"', closer: '"', escapes: true },
  { opener: "'", closer: "'", escapes: true },
];

/** Formats without quotes delimit values by their tags instead. */
export function rawSpan(opener: string, closer: string): StringSpan {
  return { opener, closer, escapes: false };
}

/** A JSON body follows the opener. */
export const JSON_FOLLOWS = { starts: /^\s{0,32}[{[]/, may: /^\s{0,32}$/ };

/** A Python call does, or a list of them, or JSON. */
export const PYTHON_FOLLOWS = {
  starts: /^\s{0,8}(?:\[\s{0,8})?(?:\{|[A-Za-z_][\w.-]{0,63}\()/,
  may: /^\s{0,8}(?:\[\s{0,8})?(?:[A-Za-z_][\w.-]{0,63})?$/,
};
