/** One of the answers to a question. */
export interface Choice {
  readonly word: string;
  /** Describes its effect. */
  readonly label: string;
  /** Also understood. */
  readonly others?: readonly string[];
}

/** The choices that a typed word, or its beginning, may mean; none for a blank one. */
export function choicesFor<T extends Choice>(typed: string, choices: readonly T[]): readonly T[] {
  const word = typed.trim().toLowerCase();
  if (word === '') return [];
  return choices.filter(({ word: own, others = [] }) => [own, ...others].some(one => one.startsWith(word)));
}
