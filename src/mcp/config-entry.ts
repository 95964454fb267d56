import { isAbsolute, resolve } from 'node:path';
import { LlmHostError } from '../errors.ts';
import { expandVariables, type VariableScope } from './config-variables.ts';
import { resolveOwnCommand } from './own-command.ts';

/** One stdio server, ready to be started. */
export interface ServerConfig {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the short environment of every server; null removes a variable from it. */
  readonly env: Readonly<Record<string, string | null>>;
  /** Absolute. */
  readonly cwd: string;
  /** Milliseconds for the start and for each call; the host's own limits where absent. */
  readonly timeoutMs?: number;
}

/** Keys that an entry may have and that this host honours. */
export const KNOWN_KEYS = [
  'name',
  'type',
  'transport',
  'command',
  'args',
  'env',
  'cwd',
  'timeout',
  'disabled',
  'enabled',
];
/** Keys of other hosts that change what the entry means: better refused by name than silently ignored. */
const UNSUPPORTED_KEYS = ['envFile', 'headers', 'inputs'];

const STDIO_TYPES = new Set(['stdio', 'local']);
const HTTP_TYPES = new Set(['http', 'sse', 'remote', 'streamable-http', 'streamable_http', 'streamableHttp']);
const URL_KEYS = ['url', 'httpUrl', 'serverUrl'];
const SHAPE =
  'accepted: {"command": "program", "args": ["..."], "env": {"NAME": "value"}, "cwd": "folder", "timeout": 30000}';
const MIN_TIMEOUT_MS = 1000;

/** Whether the entry is switched off. Throws LlmHostError CONFIG when the switch is not a boolean. */
export function isDisabled(entry: Readonly<Record<string, unknown>>): boolean {
  for (const key of ['disabled', 'enabled']) {
    const value = entry[key];
    if (value !== undefined && typeof value !== 'boolean') throw refusal(`'${key}' must be true or false`);
  }
  return entry.disabled === true || entry.enabled === false;
}

/** Checks one entry and expands its variables. Throws LlmHostError CONFIG, which disables this server only. */
export function readServerEntry(
  name: string,
  entry: Readonly<Record<string, unknown>>,
  scope: VariableScope,
): ServerConfig {
  refuseHttp(entry);
  for (const key of UNSUPPORTED_KEYS) {
    if (entry[key] !== undefined) throw new LlmHostError('CONFIG', `'${key}' is not supported yet`);
  }
  const command = entry.command;
  if (typeof command !== 'string' || command.trim() === '') {
    throw refusal(command === undefined ? "'command' is missing" : "'command' must be a non-empty string");
  }
  const expand = (text: string): string => expandVariables(text, scope);
  const line = resolveOwnCommand({ command: expand(command), args: readArgs(entry.args).map(expand) });
  const cwd = readCwd(entry.cwd, expand, scope);
  const timeoutMs = readTimeout(entry.timeout);
  return {
    name,
    ...line,
    env: readEnv(entry.env, expand),
    cwd,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}

function refuseHttp(entry: Readonly<Record<string, unknown>>): void {
  const type = entry.type ?? entry.transport;
  if (URL_KEYS.some(key => entry[key] !== undefined) || (typeof type === 'string' && HTTP_TYPES.has(type))) {
    throw new LlmHostError('CONFIG', 'HTTP servers are not supported yet', { hint: SHAPE });
  }
  if (type !== undefined && !(typeof type === 'string' && STDIO_TYPES.has(type))) {
    throw refusal(`'type' must be "stdio", not ${JSON.stringify(type)}`);
  }
}

function readArgs(value: unknown): readonly string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || !value.every(item => typeof item === 'string')) {
    throw refusal("'args' must be a list of strings");
  }
  return value;
}

function readEnv(value: unknown, expand: (text: string) => string): Record<string, string | null> {
  if (value === undefined) return {};
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw refusal("'env' must be an object");
  const env: Record<string, string | null> = {};
  for (const [key, item] of Object.entries(value)) {
    if (key === '' || /[=\0]/.test(key))
      throw refusal(`'env' has the impossible variable name ${JSON.stringify(key)}`);
    if (item === null) env[key] = null;
    else if (typeof item === 'number') env[key] = String(item);
    else if (typeof item === 'string') env[key] = expand(item);
    else throw refusal(`'env.${key}' must be a string, a number or null`);
  }
  return env;
}

function readCwd(value: unknown, expand: (text: string) => string, scope: VariableScope): string {
  if (value === undefined) return scope.workspaceFolder;
  if (typeof value !== 'string' || value === '') throw refusal("'cwd' must be a non-empty string");
  const cwd = expand(value);
  return isAbsolute(cwd) ? cwd : resolve(scope.workspaceFolder, cwd);
}

function readTimeout(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) {
    throw refusal("'timeout' must be a positive number of milliseconds");
  }
  if (value < MIN_TIMEOUT_MS) {
    const seconds = `${Math.ceil(value) * 1000} means ${Math.ceil(value)} s`;
    throw refusal(
      `'timeout' is ${value}, but it is in milliseconds and at least ${MIN_TIMEOUT_MS} (${seconds})`,
    );
  }
  return Math.round(value);
}

function refusal(message: string): LlmHostError {
  return new LlmHostError('CONFIG', message, { hint: SHAPE });
}
