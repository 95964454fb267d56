/** Kinds of values that a question may hold and a tool may ask for; `#` keeps them apart from words. */
const KINDS: readonly { readonly term: string; readonly value: RegExp; readonly argument: RegExp }[] = [
  { term: '#url', value: /^https?:\/\/\S/i, argument: /ur[il]$|link$/i },
  { term: '#email', value: /^[^@]+@[^@]+\.\w/, argument: /e-?mail|recipient/i },
  {
    term: '#file',
    value: /^[\w~./\\()-]*\w\.[a-z]\w{0,4}\b|^[~.]?\/\w/i,
    argument: /file|path|directory|folder/i,
  },
  { term: '#date', value: /^\d{4}-\d{2}-\d{2}\b/, argument: /date|time|since|until|start|end/i },
];

/** Longer words are looked at no further. */
const MAX_WORD = 200;

/** The words of a text, without the quotes and brackets around them. */
export function wordsOf(text: string): string[] {
  return text.split(/[\s"'`“”<>]+|(?<=\s)\(/).map(word => word.slice(0, MAX_WORD));
}

/** The signal of a word that is a value: `#file`. */
export function kindOf(word: string): string | undefined {
  return KINDS.find(({ value }) => value.test(word))?.term;
}

/** `17`, `-3.5`, `1,046`; not the digits of a date, a version or a word. */
const NUMBER = /(?<![\w.:/#-])-?\d[\d,]*(?:\.\d+)?(?![\w:/-])(?!\.\d)/;

/** Signals of the values in a question about the tool that it needs: `#url`, `#numbers`. */
export function questionSignals(text: string): string[] {
  const kinds = new Set(wordsOf(text).flatMap(word => kindOf(word) ?? []));
  return [...kinds, ...(text.search(NUMBER) >= 0 ? ['#numbers'] : [])];
}

/** Signals of the arguments that a tool requires. A tool that takes nothing but numbers is one that computes. */
export function toolSignals(parameters: Readonly<Record<string, unknown>>): string[] {
  const properties = (parameters.properties ?? {}) as Record<string, { type?: unknown } | undefined>;
  const listed = Array.isArray(parameters.required) ? (parameters.required as string[]) : [];
  const required = listed.filter(name => Object.hasOwn(properties, name));
  const kinds = KINDS.filter(({ argument }) => required.some(name => argument.test(name)));
  const numeric = required.filter(name => /^(?:number|integer)$/.test(String(properties[name]?.type)));
  const computes = numeric.length > 0 && numeric.length === required.length;
  return [...kinds.map(({ term }) => term), ...(computes ? ['#numbers'] : [])];
}
