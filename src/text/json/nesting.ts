/** Whether a JSON value is nested more than `levels` deep. Breadth first, so that depth needs no stack. */
export function isNestedDeeper(value: unknown, levels: number): boolean {
  const isParent = (one: unknown): one is object => typeof one === 'object' && one !== null;
  let level = [value].filter(isParent);
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    level = level.flatMap(parent => Object.values(parent).filter(isParent));
  }
  return false;
}
