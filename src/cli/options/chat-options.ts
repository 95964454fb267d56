import { resolve } from 'node:path';
import { LlmHostError, messageOf } from '../../errors.ts';
import { quoted } from '../../text/clean/visible.ts';
import { readTextFile } from '../../text/files/read-text-file.ts';
import { isInRange, type NumberRange, rangeText } from '../../text/number-range.ts';
import { checkSampling, type SamplingArguments } from './sampling-options.ts';

/** The chat command's options as yargs gives them. */
export interface ChatArguments extends SamplingArguments {
  readonly model?: string | undefined;
  readonly revision?: string | undefined;
  readonly backend?: 'mlx' | 'ollama' | undefined;
  readonly ollamaBaseUrl?: string | undefined;
  /** Address of a running `serve`, which has the model. */
  readonly connect?: string | undefined;
  /** Its key, or `@FILE`. */
  readonly apiKey?: string | undefined;
  readonly prompt?: string | undefined;
  /** File with a JSON Schema for the answer. */
  readonly schema?: string | undefined;
  readonly config?: readonly string[] | undefined;
  /** Files; `false` comes from --no-mcp. */
  readonly mcp?: readonly string[] | false | undefined;
  readonly system?: string | undefined;
  readonly context?: number | undefined;
  readonly think?: boolean | undefined;
  readonly repetitionGuard?: boolean | undefined;
  readonly kvBits?: 4 | 8 | undefined;
  readonly adapter?: readonly string[] | undefined;
  readonly quantize?: string | undefined;
  readonly saveQuantized?: string | undefined;
  readonly draftModel?: string | undefined;
  /** File of the machines to share the model with. */
  readonly hosts?: string | undefined;
  readonly diskCacheMb?: number | undefined;
  readonly toolTimeout?: number | undefined;
  readonly ask?: boolean | undefined;
  readonly yes?: boolean | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly logLevel?: string | undefined;
  readonly logFile?: string | undefined;
  readonly quiet?: boolean | undefined;
  readonly json?: boolean | undefined;
  readonly plain?: boolean | undefined;
  /** `false` comes from --no-color. */
  readonly color?: boolean | undefined;
  readonly notify?: 'bell' | 'osc9' | 'osc777' | 'off' | undefined;
  /** Seconds. */
  readonly notifyAfter?: number | undefined;
  readonly debug?: boolean | undefined;
  readonly save?: string | undefined;
  /** '' = the latest saved conversation. */
  readonly resume?: string | undefined;
}

/** Tokens. */
export const CONTEXT: NumberRange = { min: 1, max: 10_000_000, integer: true };
const DISK_CACHE_MB: NumberRange = { min: 0, max: 1e6 };
const NOTIFY_AFTER: NumberRange = { min: 0, max: 86_400 };
const TOOL_TIMEOUT: NumberRange = { min: 0, above: true, max: 86_400 };

/** Refuses numbers outside their range. Throws LlmHostError USAGE, which names the option. */
export function checkNumbers(args: ChatArguments): void {
  checkSampling(args);
  checkNumber('context', args.context, CONTEXT);
  checkNumber('disk-cache-mb', args.diskCacheMb, DISK_CACHE_MB);
  checkNumber('tool-timeout', args.toolTimeout, TOOL_TIMEOUT);
  checkNumber('notify-after', args.notifyAfter, NOTIFY_AFTER);
}

/** Throws LlmHostError USAGE for a given number out of range. */
export function checkNumber(flag: string, value: number | undefined, range: NumberRange): void {
  if (value === undefined || isInRange(value, range)) return;
  throw new LlmHostError('USAGE', `--${flag} must be ${rangeText(range)}, got ${quoted(value)}`);
}

/** No context holds more. */
const MAX_SYSTEM_BYTES = 16 * 1024 * 1024;

/** `--system TEXT` or `--system @FILE`. */
export function systemText(option: string, cwd: string): string {
  if (!option.startsWith('@')) return option;
  const path = resolve(cwd, option.slice(1));
  try {
    return readTextFile(path, MAX_SYSTEM_BYTES, { pipes: true }).trimEnd();
  } catch (error) {
    throw new LlmHostError('USAGE', `--system: ${path} cannot be read (${messageOf(error)})`);
  }
}
