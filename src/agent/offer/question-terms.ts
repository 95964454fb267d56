import { kindOf, questionSignals, wordsOf } from './argument-signals.ts';
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

/** The weight of words that a file's name stands for. */
const IMPLIED_WEIGHT = 0.5;
const IMPLIED_BY_FILE = ['file', 'read'];

/** Things written with signs, and the words for them. */
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

/** The words of a question that a tool's definition may hold, with their weights. */
export function questionTerms(question: string): QuestionTerm[] {
  const text = question.slice(0, MAX_CHARS);
  // An address or a path is only passed on to a tool.
  const wish = wordsOf(text)
    .filter(word => !kindOf(word))
    .join(' ');
  const signs = SIGNS.flatMap(([pattern, words]) => (pattern.test(wish) ? [words] : []));
  const kinds = questionSignals(text);
  const terms = new Map<string, QuestionTerm>();
  const add = (term: string, weight: number, related: readonly string[] = [], isKind = false): void => {
    if (!terms.has(term)) terms.set(term, { term, isKind, related, weight });
  };
  for (const kind of kinds) add(kind, 1, [], true);
  for (const term of termsOf([wish, ...signs].join(' '))) add(term, 1, relatedTerms(term));
  if (kinds.includes('#file')) for (const term of IMPLIED_BY_FILE) add(term, IMPLIED_WEIGHT);
  const all = [...terms.values()];
  return all.length <= MAX_TERMS ? all : [...all.slice(0, MAX_TERMS / 2), ...all.slice(-MAX_TERMS / 2)];
}

/**
 * Words that people use for what tools call otherwise. The first of a line is what tools say; any word of a line finds
 * the others.
 */
const GROUPS = `
add plus sum together total more altogether increase another both combine
subtract minus less difference left remain fewer reduce deduct off below bigger lost remove
multiply times product twice triple each every apiece lots rows
divide split share per each half third quarter quotient parts equal fit into
power squared cubed exponent raised square cube
square root
create make new open start begin add
write save store put note jot keep enter fill
delete del remove erase drop clear trash discard rid scrap bin throw away
update change edit modify rename set adjust
list show see display all which inventory overview
get fetch read retrieve open view look give tell
read content contain inside hold written say
search find look query locate where
send post message write tell email notify
file document notes folder directory path
run execute launch start command
stop kill terminate end quit close
weather forecast temperature rain sunny snow wind
directions route way drive car train walk
navigate open go visit browse page
elevation altitude height high
news latest headlines search
distance far away
place restaurant cafe shop nearby near
time clock hour timezone
web internet online page site website
chart graph plot diagram
commit revision changes
branch switch checkout
pull merge request
issue ticket bug
task todo
label tag
screenshot picture capture
click press tap
table database sql rows records
paper article study preprint
pod container
`;

const RELATED = new Map<string, string[]>();
for (const line of GROUPS.trim().split('\n')) {
  const words = line.split(' ').map(stem);
  for (const word of words) {
    const others = words.filter(other => other !== word);
    RELATED.set(word, [...(RELATED.get(word) ?? []), ...others]);
  }
}

/** Other words for a tool that does this. */
export function relatedTerms(term: string): readonly string[] {
  return RELATED.get(term) ?? [];
}
