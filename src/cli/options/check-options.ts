import { LlmHostError } from '../../errors.ts';
import type { ModelSource } from '../../model/model-source.ts';
import { quoted } from '../../text/clean/visible.ts';
import { isInRange, type NumberRange, rangeText } from '../../text/number-range.ts';
import {
  type ChatArguments,
  flagOf,
  type HttpApiArguments,
  OPTION_NAMES,
  type OptionName,
  type OptionRow,
  optionRow,
} from './option-table.ts';
import { checkSampling } from './sampling-options.ts';

/** Refuses numbers outside their range. Throws LlmHostError USAGE, which names the option. */
export function checkNumbers(args: HttpApiArguments): void {
  checkSampling(args);
  for (const name of OPTION_NAMES) {
    const { range } = optionRow(name);
    if (range) checkNumber(flagOf(name).slice(2), args[name], range);
  }
}

/** Throws LlmHostError USAGE for a given number out of range. */
export function checkNumber(flag: string, value: unknown, range: NumberRange): void {
  if (value === undefined || isInRange(value, range)) return;
  throw new LlmHostError('USAGE', `--${flag} must be ${rangeText(range)}, got ${quoted(value)}`);
}

/** The flag of a given option that cannot be combined with a model of this kind; undefined: none was given. */
export function misplacedOption(
  args: HttpApiArguments,
  kind: NonNullable<OptionRow['not']>[number],
): string | undefined {
  const name = OPTION_NAMES.find(
    (one: OptionName) => optionRow(one).not?.includes(kind) && args[one] !== undefined,
  );
  return name && flagOf(name);
}

/**
 * Refuses what has no effect on a model that Ollama loads; what config.json says is for all models, and stays.
 * Throws LlmHostError USAGE.
 * @param others whether further models may be loaded here
 */
export function checkOllama(source: ModelSource, args: HttpApiArguments, others: boolean): void {
  if (source.kind !== 'ollama') return;
  const flag = misplacedOption(args, others ? 'ollama' : 'ollama only');
  if (flag === undefined) return;
  throw new LlmHostError('USAGE', `${flag} cannot be combined with a model of Ollama`, {
    hint: 'Ollama loads the model, with its own settings.',
  });
}

/** Refuses what only a model of one machine has. Throws LlmHostError USAGE. */
export function checkHosts(args: HttpApiArguments): void {
  const flag = args.hosts === undefined ? undefined : misplacedOption(args, 'hosts');
  if (flag !== undefined) throw new LlmHostError('USAGE', `${flag} cannot be combined with --hosts`);
}

/** For a chat, which has the key only for a server. Throws LlmHostError USAGE. */
export function checkKey(args: ChatArguments): void {
  if (args.connect !== undefined || args.apiKey === undefined) return;
  throw new LlmHostError('USAGE', '--api-key needs --connect');
}
