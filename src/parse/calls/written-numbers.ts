/** Quoted text, which is passed over (to the end, if it is not closed), or a number. */
const TOKENS = /"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/gs;

/**
 * Writes numbers as the text of a call has them: `3.10`, `+49`, `02134`. One that is not there, or in several forms, is
 * written as usual.
 */
export function writtenNumbers(text: string): (value: number) => string {
  let forms: ReadonlyMap<number, string | undefined> | undefined;
  return value => {
    forms ??= formsIn(text);
    return forms.get(value) ?? String(value);
  };
}

/** undefined: written in several forms. */
function formsIn(text: string): ReadonlyMap<number, string | undefined> {
  const forms = new Map<number, string | undefined>();
  for (const [token] of text.matchAll(TOKENS)) {
    const value = Number(token);
    if (token === '' || Number.isNaN(value)) continue;
    forms.set(value, forms.has(value) && forms.get(value) !== token ? undefined : token);
  }
  return forms;
}
