import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Sampling } from '../../agent/model/chat-model.ts';
import { LlmHostError, messageOf } from '../../errors.ts';
import { checkResponseFormat, type ResponseFormat } from '../../grammar/response-format.ts';
import type { ToolPolicy } from '../../mcp/policy/policy.ts';
import { readTextFile } from '../../text/read-text-file.ts';
import type { AppConfig } from '../settings/config-file.ts';

const MAX_SCHEMA_BYTES = 1024 * 1024;

/** The chat command's options as yargs gives them. */
export interface ChatArguments {
  readonly model?: string | undefined;
  readonly revision?: string | undefined;
  readonly backend?: 'mlx' | 'ollama' | undefined;
  readonly ollamaBaseUrl?: string | undefined;
  readonly prompt?: string | undefined;
  /** File with a JSON Schema for the answer. */
  readonly schema?: string | undefined;
  readonly config?: readonly string[] | undefined;
  /** Files; `false` comes from --no-mcp. */
  readonly mcp?: readonly string[] | false | undefined;
  readonly system?: string | undefined;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly topK?: number | undefined;
  readonly minP?: number | undefined;
  readonly repetitionPenalty?: number | undefined;
  readonly presencePenalty?: number | undefined;
  readonly frequencyPenalty?: number | undefined;
  readonly seed?: number | undefined;
  readonly maxTokens?: number | undefined;
  readonly stop?: readonly string[] | undefined;
  readonly context?: number | undefined;
  readonly think?: boolean | undefined;
  readonly kvBits?: 4 | 8 | undefined;
  readonly adapter?: readonly string[] | undefined;
  readonly quantize?: string | undefined;
  readonly saveQuantized?: string | undefined;
  readonly toolTimeout?: number | undefined;
  readonly ask?: boolean | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly logLevel?: string | undefined;
  readonly logFile?: string | undefined;
  readonly quiet?: boolean | undefined;
  readonly json?: boolean | undefined;
  readonly plain?: boolean | undefined;
  /** `false` comes from --no-color. */
  readonly color?: boolean | undefined;
  readonly debug?: boolean | undefined;
  readonly save?: string | undefined;
  /** '' = the latest conversation that was kept. */
  readonly resume?: string | undefined;
}

interface Range {
  readonly min: number;
  readonly max: number;
  readonly integer?: boolean;
  /** `min` itself is not allowed. */
  readonly above?: boolean;
  /** `max` itself is not allowed. */
  readonly below?: boolean;
}

const RANGES: Readonly<Record<string, Range>> = {
  temperature: { min: 0, max: 5 },
  'top-p': { min: 0, max: 1, above: true },
  'top-k': { min: 0, max: 1_000_000, integer: true },
  'min-p': { min: 0, max: 1, below: true },
  'repetition-penalty': { min: 0, max: 10, above: true },
  'presence-penalty': { min: -2, max: 2 },
  'frequency-penalty': { min: -2, max: 2 },
  seed: { min: 0, max: 0xffff_ffff, integer: true },
  'max-tokens': { min: 1, max: 10_000_000, integer: true },
  context: { min: 1, max: 10_000_000, integer: true },
  'tool-timeout': { min: 0, max: 86_400, above: true },
};

/** Refuses numbers outside their range: expected, option, received. */
export function checkNumbers(args: ChatArguments): void {
  const given: Readonly<Record<string, number | undefined>> = {
    temperature: args.temperature,
    'top-p': args.topP,
    'top-k': args.topK,
    'min-p': args.minP,
    'repetition-penalty': args.repetitionPenalty,
    'presence-penalty': args.presencePenalty,
    'frequency-penalty': args.frequencyPenalty,
    seed: args.seed,
    'max-tokens': args.maxTokens,
    context: args.context,
    'tool-timeout': args.toolTimeout,
  };
  for (const [name, value] of Object.entries(given)) {
    const range = RANGES[name];
    if (value === undefined || !range || fits(value, range)) continue;
    const kind = range.integer ? 'a whole number' : 'a number';
    const from = range.above ? `above ${range.min}` : `from ${range.min}`;
    const to = range.below ? `to below ${range.max}` : `to ${range.max}`;
    const got = Number.isNaN(value) ? 'something else' : String(value);
    throw new LlmHostError('USAGE', `--${name} takes ${kind} ${from} ${to}, not ${got}`);
  }
}

function fits(value: number, range: Range): boolean {
  if (!Number.isFinite(value) || (range.integer && !Number.isInteger(value))) return false;
  return (
    (range.below ? value < range.max : value <= range.max) &&
    (range.above ? value > range.min : value >= range.min)
  );
}

/** The command line over config.json. */
export function mergeSampling(args: ChatArguments, config: AppConfig): Sampling {
  const fromLine = {
    temperature: args.temperature,
    topP: args.topP,
    topK: args.topK,
    minP: args.minP,
    repetitionPenalty: args.repetitionPenalty,
    presencePenalty: args.presencePenalty,
    frequencyPenalty: args.frequencyPenalty,
    seed: args.seed,
    maxTokens: args.maxTokens,
    stop: args.stop,
  };
  const given = Object.fromEntries(Object.entries(fromLine).filter(([, value]) => value !== undefined));
  return { ...config.sampling, ...given };
}

/** What config.json and the command line say about tools. `--tools a,b` is the same as `--tools a --tools b`. */
export function toolPolicy(args: ChatArguments, { tools = {} }: AppConfig): ToolPolicy {
  const selected = args.tools?.flatMap(patterns => patterns.split(',')).filter(pattern => pattern !== '');
  const { blocked, allowed, ratePerMinute, approval } = tools;
  return {
    ...(blocked && { blocked }),
    ...(allowed && { allowed }),
    ...(selected && { selected }),
    ...(ratePerMinute !== undefined && { ratePerMinute }),
    ...(approval && { approval }),
    ...(args.ask && { askAll: true }),
  };
}

/** `--schema FILE`, with `--prompt` only. Throws LlmHostError USAGE for a file that holds no schema to follow. */
export function answerFormat(args: ChatArguments, cwd: string): ResponseFormat | undefined {
  if (args.schema === undefined) return undefined;
  if (args.prompt === undefined) {
    throw new LlmHostError('USAGE', '--schema goes with -p: it is about one answer');
  }
  const path = resolve(cwd, args.schema);
  let schema: unknown;
  try {
    schema = JSON.parse(readTextFile(path, MAX_SCHEMA_BYTES, { pipes: true }));
  } catch (error) {
    const where = error instanceof SyntaxError ? `${path} holds no JSON: ` : '';
    throw new LlmHostError('USAGE', `--schema: ${where}${messageOf(error)}`);
  }
  const format = { type: 'json_schema' as const, schema: schema as Readonly<Record<string, unknown>> };
  checkResponseFormat(format);
  return format;
}

/** `--system TEXT` or `--system @FILE`. */
export function systemText(option: string, cwd: string): string {
  if (!option.startsWith('@')) return option;
  const path = resolve(cwd, option.slice(1));
  try {
    return readFileSync(path, 'utf8').trimEnd();
  } catch (error) {
    throw new LlmHostError('USAGE', `--system: ${path} cannot be read (${messageOf(error)})`);
  }
}
