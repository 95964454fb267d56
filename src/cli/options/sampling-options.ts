import type { Argv } from 'yargs';
import { LlmHostError } from '../../errors.ts';
import type { NumberRange } from '../../text/number-range.ts';
import {
  SAMPLING_NAMES,
  type Sampling,
  type SamplingField,
  samplingField,
} from '../../text/sampling/fields.ts';
import { firstSamplingProblem } from '../../text/sampling/problem.ts';
import { number } from './option-kinds.ts';

/** The sampling options as yargs gives them. */
export type SamplingArguments = { readonly [Name in keyof Sampling]?: Sampling[Name] | undefined };

/** An option for each field of the table. */
export function samplingOptions(y: Argv): Argv {
  return SAMPLING_NAMES.reduce((parser, name) => {
    const field = samplingField(name);
    return parser.option(field.names.flag, { ...optionOf(field), group: 'Sampling:' });
  }, y);
}

function optionOf({ kind, range, doc, names }: SamplingField) {
  const list = { type: 'string', array: true, requiresArg: true, nargs: 1 } as const;
  if (kind === 'boolean') return { type: 'boolean', describe: doc } as const;
  if (kind === 'texts') return { ...list, describe: `${doc} (repeatable)` };
  if (kind === 'biases') {
    const coerce = (given?: readonly string[]) => given && biasesOf(given, names.flag);
    return { ...list, describe: `ID=BIAS, ${doc} (repeatable)`, coerce };
  }
  const limits = range && !range.integer ? ` (${shortRange(range)})` : '';
  return number(`${doc}${limits}`);
}

function shortRange({ min, max, above, below }: NumberRange): string {
  return `${above ? 'above ' : ''}${min} to ${below ? 'below ' : ''}${max}`;
}

function biasesOf(given: readonly string[], flag: string): Readonly<Record<number, number>> {
  const pairs = given.map(text => {
    const [, id, bias] = /^(\d+)=(-?[\d.]+)$/.exec(text) ?? [];
    if (id !== undefined) return [id, Number(bias)];
    throw new LlmHostError(
      'USAGE',
      `--${flag} must be a token id and its bias, such as 17=-100, got '${text}'`,
    );
  });
  return Object.fromEntries(pairs);
}

/** Refuses what is out of range. Throws LlmHostError USAGE. */
export function checkSampling(args: SamplingArguments): void {
  const problem = firstSamplingProblem(given(args), name => `--${samplingField(name).names.flag}`);
  if (problem) throw new LlmHostError('USAGE', problem);
}

/** The command line over config.json. */
export function mergeSampling(args: SamplingArguments, config: { readonly sampling?: Sampling }): Sampling {
  return { ...config.sampling, ...given(args) };
}

/** Only the sampling fields of `args`, and of them only what was given. */
function given(args: SamplingArguments): Sampling {
  const all = SAMPLING_NAMES.map(name => [name, args[name]] as const);
  return Object.fromEntries(all.filter(([, value]) => value !== undefined));
}
