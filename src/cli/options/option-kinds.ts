export const text = (describe: string) => ({ type: 'string', requiresArg: true, describe }) as const;

/** A number. Anything else stays the text it is, so that the check of its range can show it: yargs' own kind gives NaN. */
export const number = (describe: string) => ({ requiresArg: true, describe, coerce: numberOrText }) as const;

/** Typed as the number it has to be; `checkNumber` and its like refuse the rest. */
export function numberOrText(given: unknown): number | undefined {
  const text = typeof given === 'string' ? given.trim() : '';
  const value = text === '' ? given : Number(text);
  return (Number.isNaN(value) ? given : value) as number | undefined;
}

/** Texts, one for each time the option is given. */
export const list = (describe: string) =>
  ({ type: 'string', array: true, requiresArg: true, nargs: 1, describe }) as const;

/** As JSON instead of text. */
export const json = { type: 'boolean', describe: 'print as JSON' } as const;

export const revision = text('branch, tag or commit of a Hub model (default main)');
