// What counts as a denial, a refusal, a right call and a right text in models/demo/heldout. No model judges: a reader can
// check each verdict against the reply. Strings are compared in lower case, with straight quotes.

const CANNOT = "(can't|cannot|can not|won't be able to|(am|'m) (not able|unable)|are unable)";
/** A sentence that says so is a refusal, unless it goes on with "but". */
const REFUSALS = [
  `\\b(i|we|my tools|the tools|none of (my|the|these) tools)( \\w+)? ?${CANNOT}(?![^.!?]*\\bbut\\b)`,
  '\\bnone of (my|the|these) (\\w+ ){0,2}(tools?|functions?)\\b',
  "\\b(no|don't have (a|any|the)|do not have (a|any|the)|need (a|another)|without (a|another)) (\\w+ ){0,2}(tool|function)s?\\b",
  "\\bi (don't|do not) have (the |any )?(ability|capability|access|permission|means|a way)",
  '\\b(no tool|none of them) (does|can|fits)\\b',
  "\\b(it's|it is|that's|that is) not possible\\b",
].map(source => new RegExp(source));

/** In one of its first sentences it says that it cannot, or that a tool is missing. */
export function refuses(text, sentences = 2) {
  const first = plainText(text)
    .split(/(?<=[.!?])\s|\n/)
    .filter(Boolean)
    .slice(0, sentences)
    .join(' ');
  return REFUSALS.some(pattern => pattern.test(first));
}

/**
 * Whether the text has each of `wanted`: one of several wordings parted by `|`, at the beginning of a word, whole if it is a
 * number or shorter than four letters; or, after `~`, a regular expression.
 */
export function says(text, wanted = []) {
  const lower = plainText(text);
  return wanted.every(one =>
    one.startsWith('~')
      ? new RegExp(one.slice(1)).test(lower)
      : one.split('|').some(wording => occurrence(wording.toLowerCase()).test(lower)),
  );
}

function occurrence(wording) {
  const literal = wording.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const before = /^[\p{L}\d]/u.test(wording) ? '(?<![\\p{L}\\d]|\\d[.,])' : '';
  const isWhole = /\d$/.test(wording) || /^\p{L}{1,3}$/u.test(wording);
  const after = !isWhole ? '' : '(?![\\p{L}\\d]|[.,]\\d)';
  return new RegExp(before + literal + after, 'u');
}

/** How many of the tools a text names: by all words of the name, in any order and ending ("lists files" names list_files). */
export function namedTools(text, names) {
  const words = plainText(text).match(/[a-z]+/g) ?? [];
  const stems = name =>
    name
      .toLowerCase()
      .split('_')
      .map(part => (part.length > 4 ? part.slice(0, -1) : part));
  return names.filter(name => stems(name).every(stem => words.some(word => word.startsWith(stem)))).length;
}

/** A request that a listed tool answers: `right`, `arguments`, `tool`, `denied` or `words` (neither call nor denial). */
export function judgeDenial({ tool, arguments: wanted }, { calls, malformed, text }) {
  if (calls.length + malformed === 0) return refuses(text) ? 'denied' : 'words';
  if (calls.length !== 1 || malformed > 0 || calls[0].name !== tool) return 'tool';
  return wanted && !wanted.some(one => sameArguments(one, calls[0].arguments)) ? 'arguments' : 'right';
}

/** A request that needs no tool: `right`, `called`, `refused`, `silent` or `wrong` (lacks what it must say or name). */
export function judgePlain({ kind, says: wanted, names }, { calls, malformed, text }, tools) {
  if (calls.length + malformed > 0) return 'called';
  if (text.trim() === '') return 'silent';
  // A letter or a story may itself say that someone cannot.
  if (refuses(text, kind === 'writing' ? 1 : 2)) return 'refused';
  if (!says(text, wanted)) return 'wrong';
  return names && namedTools(text, tools) < Math.min(names, tools.length) ? 'wrong' : 'right';
}

/**
 * One reply within a dialogue against the steps that must follow. A reply may make several of the next calls at once.
 * @returns how many steps it fulfils; 0: it is wrong
 */
export function stepsDone(steps, { calls, malformed, text }) {
  const [step] = steps;
  if (malformed > 0) return 0;
  if (step.call) return calls.every((call, at) => fulfils(steps[at], call)) ? calls.length : 0;
  if (calls.length > 0 || text.trim() === '') return 0;
  if (step.asks) return text.includes('?') && says(text, step.asks) ? 1 : 0;
  return says(text, step.says) && !(step.not ?? []).some(one => says(text, [one])) ? 1 : 0;
}

function fulfils(step, { name, arguments: args }) {
  if (!step?.call) return false;
  return [step.call, ...(step.or ?? [])].some(
    ([wanted, values]) => wanted === name && sameArguments(values, args),
  );
}

/** Equal but for case, quotes around a text, a mark at its end, a slash after a folder, and optional texts left empty. */
export function sameArguments(wanted, got) {
  const given = Object.entries(got).filter(([key, value]) => key in wanted || value !== '');
  return (
    given.length === Object.keys(wanted).length &&
    given.every(([key, value]) => loose(wanted[key]) === loose(value))
  );
}

function loose(value) {
  if (typeof value === 'bigint') return loose(Number(value));
  if (typeof value !== 'string') return JSON.stringify(value);
  return JSON.stringify(
    plainText(value)
      .trim()
      .replace(/^["'](.*)["']$/s, '$1')
      .replace(/[.!/]$/, ''),
  );
}

function plainText(text) {
  return text.toLowerCase().replaceAll(/[‘’]/g, "'").replaceAll(/[“”]/g, '"');
}
