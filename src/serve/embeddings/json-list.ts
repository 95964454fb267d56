import { setImmediate as nextTurn } from 'node:timers/promises';

/** Items that are written at a time, so that other streams go on meanwhile. */
const AT_A_TIME = 32;

/** JSON of `{ ...before, [name]: items }`, written in pieces: a list of vectors has megabytes. */
export async function jsonWithList<T>(
  before: object,
  name: string,
  items: readonly T[],
  write: (item: T, index: number) => unknown,
): Promise<string> {
  const pieces: string[] = [];
  for (const [index, item] of items.entries()) {
    pieces.push(JSON.stringify(write(item, index)));
    if (index % AT_A_TIME === AT_A_TIME - 1) await nextTurn();
  }
  const head = JSON.stringify(before).slice(0, -1);
  return `${head}${head === '{' ? '' : ','}${JSON.stringify(name)}:[${pieces.join(',')}]}`;
}
