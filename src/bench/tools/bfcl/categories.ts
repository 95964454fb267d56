import type { ArgumentLanguage } from '../cases/tool-case.ts';

interface Category {
  readonly language: ArgumentLanguage;
  /** `calls`: there is a list of accepted calls. */
  readonly expects: 'calls' | 'none' | 'some';
}

const CALLS: Category = { language: 'json', expects: 'calls' };

/** The single-turn categories of BFCL v4. */
export const BFCL_CATEGORIES = {
  simple_python: CALLS,
  simple_java: { language: 'java', expects: 'calls' },
  simple_javascript: { language: 'javascript', expects: 'calls' },
  multiple: CALLS,
  parallel: CALLS,
  parallel_multiple: CALLS,
  irrelevance: { language: 'json', expects: 'none' },
  live_simple: CALLS,
  live_multiple: CALLS,
  live_parallel: CALLS,
  live_parallel_multiple: CALLS,
  live_irrelevance: { language: 'json', expects: 'none' },
  live_relevance: { language: 'json', expects: 'some' },
} as const satisfies Record<string, Category>;

export type BfclCategory = keyof typeof BFCL_CATEGORIES;

/** Paths below the folder of the data: the questions, and the accepted calls where there are any. */
export function filesOf(category: BfclCategory): string[] {
  const name = `BFCL_v4_${category}.json`;
  return BFCL_CATEGORIES[category].expects === 'calls' ? [name, `possible_answer/${name}`] : [name];
}
