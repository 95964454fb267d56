import { MODES, type Mode } from '../../bench/tools/answer.ts';
import type { Half } from '../../bench/tools/choose-cases.ts';
import { LlmHostError } from '../../errors.ts';
import { nearest } from '../../text/nearest.ts';
import { firstSamplingProblem } from '../../text/sampling/problem.ts';
import { DEMO_CONFIG } from '../settings/demo.ts';
import { type BenchArguments, whole } from './bench-arguments.ts';

/** Options of `bench --tools`, besides those of every bench. */
export interface ToolsArguments extends BenchArguments {
  /** A folder with questions. */
  readonly tools: string;
  readonly all?: boolean | undefined;
  /** Comma-separated names. */
  readonly categories?: string | undefined;
  /** Comma-separated modes. */
  readonly mode?: string | undefined;
  readonly half?: Half | undefined;
  readonly callConfidence?: number | undefined;
  readonly again?: boolean | undefined;
}

const NOT_WITH_TOOLS = {
  promptTokens: 'prompt-tokens',
  runs: 'runs',
  clients: 'clients',
  turns: 'turns',
  graph: 'graph',
  compare: 'compare',
  mlxLmModel: 'mlx-lm-model',
  llamaCppModel: 'llama-cpp-model',
} as const satisfies Partial<Record<keyof BenchArguments, string>>;

/** Questions of each category, by default. */
const SAMPLE = 25;
/** Tokens of a case's replies, calls and repairs included. */
const MAX_TOKENS = 512;

export interface ToolsOptions {
  readonly modes: readonly Mode[];
  /** undefined: all. */
  readonly perCategory: number | undefined;
  readonly half: Half | undefined;
  readonly maxTokens: number;
  /** 0 = off. */
  readonly callConfidence: number;
}

/** Throws LlmHostError USAGE. */
export function toolsOptions(args: ToolsArguments): ToolsOptions {
  const wrong = Object.entries(NOT_WITH_TOOLS).find(([name]) => args[name as keyof typeof NOT_WITH_TOOLS]);
  if (wrong) throw new LlmHostError('USAGE', `--tools does not go with --${wrong[1]}`);
  const { callConfidence = (args.model === 'demo' && DEMO_CONFIG.sampling?.callConfidence) || 0 } = args;
  const problem = firstSamplingProblem({ callConfidence });
  if (problem) throw new LlmHostError('USAGE', problem);
  return {
    modes: args.mode === undefined ? MODES : named('mode', args.mode, MODES),
    perCategory: args.all ? undefined : SAMPLE,
    half: args.half,
    maxTokens: whole('generate', args.generate ?? MAX_TOKENS),
    callConfidence,
  };
}

/** The values of a comma-separated option, in the order of `known`. Throws LlmHostError USAGE. */
export function named<T extends string>(option: string, given: string, known: readonly T[]): T[] {
  const names = given.split(',').map(name => name.trim());
  const unknown = names.find(name => !known.some(one => one === name));
  if (unknown !== undefined) {
    const near = nearest(unknown, known);
    throw new LlmHostError(
      'USAGE',
      `--${option} has no '${unknown}'${near ? `; did you mean '${near}'?` : ''}`,
      {
        hint: `It takes ${known.join(', ')}.`,
      },
    );
  }
  return known.filter(name => names.includes(name));
}
