import { kindOf, questionSignals, wordsOf } from './argument-signals.ts';
import { relatedTerms } from './related-terms.ts';
import { stem, termsOf } from './tool-terms.ts';

/** Part of what a question asks for. */
export interface QuestionTerm {
  /** A word's stem, or a kind of value (`#url`). */
  readonly term: string;
  readonly isKind: boolean;
  /** Words that tools may say instead. */
  readonly related: readonly string[];
  /** At most 1. */
  readonly weight: number;
}

/** Words that questions are full of, whatever they ask for. */
const FAINT = new Set(
  (
    'get tell give find show let go make take put say look work open current now new many much number thing back another question ' +
    'kindly okay ok hey hi thank thanks glad quickly know one'
  )
    .split(' ')
    .map(stem),
);
const FAINT_WEIGHT = 0.35;
/** Of the words of what is only passed on to a tool. */
const VALUE_WEIGHT = 0.3;
/** Of words that a file's name stands for. */
const IMPLIED_WEIGHT = 0.5;
const IMPLIED_BY_FILE = ['file', 'read'];

/** Quoted text is only passed on to a tool. */
const QUOTED = /"[^"\n]*"|“[^”\n]*”|(?<![\p{L}\p{N}])'[^'\n]*'(?![\p{L}\p{N}])/gu;

/** What is written with signs, and the words for it. */
const SIGNS: readonly (readonly [RegExp, string])[] = [
  [/\d\s*(?:\^|\*\*)\s*-?\d|\d\s*[²³]/, 'power'],
  [/\d\s*(?:[*×·]|x|times)\s*-?\d/i, 'multiply'],
  [/\d\s*(?:[/÷:]|over)\s*-?\d/i, 'divide'],
  [/\d\s*\+\s*-?\d/, 'add'],
  [/\d\s*[-−–]\s*-?\d/, 'subtract'],
  [/√|\bsqrt\b/i, 'square root'],
];

/** Longer texts are no questions, and a pasted file must not take the time of a turn. */
const MAX_CHARS = 4000;
/** As many from its beginning as from its end: what is wanted stands there. */
const MAX_TERMS = 64;

/** Whether a word says next to nothing about what is wanted. */
export function isFaint(term: string): boolean {
  return FAINT.has(term);
}

/** What a question asks for, in words that a tool's definition may hold. */
export function questionTerms(question: string): QuestionTerm[] {
  const text = question.slice(0, MAX_CHARS);
  const values = text.match(QUOTED) ?? [];
  const wishes: string[] = [];
  for (const word of wordsOf(text.replace(QUOTED, ' '))) (kindOf(word) ? values : wishes).push(word);
  const wish = wishes.join(' ');
  const signs = SIGNS.flatMap(([pattern, words]) => (pattern.test(wish) ? [words] : []));
  const kinds = questionSignals(text);
  const terms = new Map<string, QuestionTerm>();
  const add = (term: string, weight: number, related: readonly string[] = [], isKind = false): void => {
    if (!terms.has(term)) terms.set(term, { term, isKind, related, weight });
  };
  for (const kind of kinds) add(kind, 1, [], true);
  for (const term of termsOf([wish, ...signs].join(' ')))
    add(term, isFaint(term) ? FAINT_WEIGHT : 1, relatedTerms(term));
  if (kinds.includes('#file')) for (const term of IMPLIED_BY_FILE) add(term, IMPLIED_WEIGHT);
  for (const term of termsOf(values.join(' '))) add(term, VALUE_WEIGHT);
  const all = [...terms.values()];
  return all.length <= MAX_TERMS ? all : [...all.slice(0, MAX_TERMS / 2), ...all.slice(-MAX_TERMS / 2)];
}
