import type { Random } from './random.ts';

const VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1,
  0.5,
  1e308,
  2 ** 53,
  '',
  'a',
  '\u001b[2J',
  '(a+)+$',
  '../x',
  '__proto__',
  [],
  {},
  [[]],
  [null],
  { a: 1 },
]; // prettier-ignore
const MAX_NODES = 400;

/** A changed copy of a JSON text: nodes replaced, dropped, copied elsewhere, renamed, nested. Undefined for other text. */
export function mutateJson(text: string, dictionary: readonly string[], random: Random): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  for (let steps = 1 + random.below(3); steps > 0; steps--) change(value, dictionary, random);
  return JSON.stringify(value);
}

type Branch = Record<string, unknown>;

function change(root: unknown, dictionary: readonly string[], random: Random): void {
  const branches = branchesOf(root);
  if (branches.length === 0) return;
  const branch = random.of(branches);
  const keys = Object.keys(branch);
  const key = keys.length > 0 ? random.of(keys) : 'a';
  const other = random.of(branches);
  switch (random.below(7)) {
    case 0:
      branch[key] = structuredClone(random.of(VALUES));
      break;
    case 1:
      // Not splice, which asks a property `constructor` that an earlier change may have made.
      delete branch[key];
      break;
    case 2:
      branch[key] = JSON.parse(JSON.stringify(other));
      break;
    case 3:
      // As JSON.parse does, `__proto__` becomes a property.
      Object.defineProperty(branch, random.of(['__proto__', 'constructor', 'toString', `${key}x`]), {
        value: JSON.parse(JSON.stringify(branch[key] ?? null)),
        enumerable: true,
        writable: true,
        configurable: true,
      });
      break;
    case 4:
      for (let depth = 2 ** random.below(7); depth > 0; depth--)
        branch[key] = random.below(2) ? [branch[key]] : { a: branch[key] };
      break;
    case 5:
      if (typeof branch[key] === 'string') branch[key] = branch[key].repeat(random.below(64));
      else branch[key] = JSON.stringify(branch[key]) ?? '';
      break;
    default:
      graft(branch, dictionary, random);
  }
}

/** A word of the dictionary, `"key":value` or a string, set into an object or list. */
function graft(branch: Branch, dictionary: readonly string[], random: Random): void {
  if (dictionary.length === 0) return;
  const word = random.of(dictionary);
  try {
    Object.assign(branch, JSON.parse(`{${word}}`));
  } catch {
    branch[random.of([...Object.keys(branch), 'a'])] = word;
  }
}

function branchesOf(root: unknown): Branch[] {
  const found: Branch[] = [];
  const waiting = [root];
  while (waiting.length > 0 && found.length < MAX_NODES) {
    const next = waiting.shift();
    if (typeof next !== 'object' || next === null) continue;
    found.push(next as Branch);
    waiting.push(...Object.values(next));
  }
  return found;
}
