/** Variables by which CI services say so, and by which Ink decides to draw nothing. */
const CI_VARIABLES = ['CI', 'CONTINUOUS_INTEGRATION'] as const;

/** The Ink screen needs a terminal with cursor control on both ends, and a person in front of it. */
export function wantsScreen(plain: boolean, env: NodeJS.ProcessEnv, onTerminal: boolean): boolean {
  return onTerminal && !plain && env.TERM !== 'dumb' && !CI_VARIABLES.some(name => isSet(env[name]));
}

/** Call before Ink is imported: it takes an empty variable for CI. */
export function forgetUnsetCi(env: NodeJS.ProcessEnv): void {
  for (const name of CI_VARIABLES) if (!isSet(env[name])) delete env[name];
}

const isSet = (value: string | undefined): boolean => !['', '0', 'false'].includes(value ?? '');
