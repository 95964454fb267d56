export const text = (describe: string) => ({ type: 'string', requiresArg: true, describe }) as const;

export const number = (describe: string) => ({ type: 'number', requiresArg: true, describe }) as const;

/** Texts, one for each time the option is given. */
export const list = (describe: string) =>
  ({ type: 'string', array: true, requiresArg: true, nargs: 1, describe }) as const;

/** As JSON instead of text. */
export const json = { type: 'boolean', describe: 'as JSON' } as const;

export const revision = text('branch, tag or commit, for a model of the Hub (main)');
