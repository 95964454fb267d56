type Ids = readonly number[];

/** A text or its tokens, alone or in a list. */
export type GivenTexts = string | Ids | readonly string[] | readonly Ids[];

/** By hand: zod takes a second for a million ids, with every stream at rest. */
export function isGivenTexts(value: unknown): value is GivenTexts {
  if (typeof value === 'string' || isIds(value)) return true;
  return Array.isArray(value) && (value.every(one => typeof one === 'string') || value.every(isIds));
}

export function textList(given: GivenTexts): readonly (string | Ids)[] {
  return typeof given === 'string' || isIds(given) ? [given] : given;
}

function isIds(value: unknown): value is Ids {
  return Array.isArray(value) && value.length > 0 && value.every(id => Number.isSafeInteger(id) && id >= 0);
}
