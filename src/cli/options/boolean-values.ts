import type { Argv } from 'yargs';
import { LlmHostError } from '../../errors.ts';
import { quoted } from '../../text/clean/visible.ts';

/**
 * Refuses `--flag=value` where the flag is true or false and the value neither: yargs takes any text but `true` for false.
 * Throws LlmHostError USAGE.
 */
export function checkBooleanValues(argv: readonly string[], parser: Argv): void {
  const { boolean } = (parser as unknown as { getOptions(): { boolean: readonly string[] } }).getOptions();
  const end = argv.indexOf('--');
  for (const word of end < 0 ? argv : argv.slice(0, end)) {
    const [, name = '', value = ''] = /^--([^=]+)=([\s\S]*)$/.exec(word) ?? [];
    if (name === '' || value === 'true' || value === 'false') continue;
    if (!boolean.includes(name) && !boolean.includes(kebab(name))) continue;
    throw new LlmHostError('USAGE', `--${name} must be true or false, got ${quoted(value)}`);
  }
}

/** yargs also takes `--repetitionGuard`. */
const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);
