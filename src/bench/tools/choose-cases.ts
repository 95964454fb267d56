import { createHash } from 'node:crypto';
import type { ToolCase } from './tool-case.ts';

/** `a` to work with, `b` to judge by: a change made for one half shows on the other whether it helps. */
export type Half = 'a' | 'b';

export interface Choice {
  /** Of each category; undefined: all. */
  readonly perCategory: number | undefined;
  /** Default: both. */
  readonly half?: Half | undefined;
}

/** A sample that is the same in every run: it depends only on the ids of the cases. In the order of `cases`. */
export function chooseCases(cases: readonly ToolCase[], { perCategory, half }: Choice): ToolCase[] {
  const places = new Map(cases.map(one => [one, createHash('sha256').update(one.id).digest('hex')]));
  const place = (one: ToolCase) => places.get(one) as string;
  const eligible = half ? cases.filter(one => halfOf(place(one)) === half) : cases;
  if (perCategory === undefined) return [...eligible];
  const chosen = new Set<ToolCase>();
  for (const category of new Set(eligible.map(one => one.category))) {
    const own = eligible.filter(one => one.category === category);
    for (const one of own.sort((x, y) => (place(x) < place(y) ? -1 : 1)).slice(0, perCategory))
      chosen.add(one);
  }
  return eligible.filter(one => chosen.has(one));
}

/** By a digit that does not decide the order. */
const halfOf = (digest: string): Half => (Number.parseInt(digest.at(-1) as string, 16) % 2 === 0 ? 'a' : 'b');
