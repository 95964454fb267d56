import { quoted } from '../../text/clean/visible.ts';
import { isPlainObject } from '../../text/json/plain-object.ts';
import { type Entry, flag, oneOf, optionalText, patterns, pick, readMap, type Text } from './fields.ts';
import { HTTP_ONLY, HTTP_SHAPE, REFUSED_KEYS, STDIO_ONLY, STDIO_SHAPE, transportOf } from './keys.ts';
import { EntryProblem, type Path } from './problem.ts';
import type { Approval, ApprovalRule, OAuthSettings, ServerSettings } from './types.ts';

export interface StdioEntry {
  readonly transport: 'stdio';
  readonly command: Text;
  readonly args: readonly Text[];
  readonly env: ReadonlyMap<string, Text | null>;
  readonly envFile?: Text;
  readonly cwd?: Text;
}

export interface HttpEntry {
  readonly transport: 'http' | 'sse';
  readonly url: Text;
  readonly headers: ReadonlyMap<string, Text>;
  readonly allowLocalNetwork: boolean;
  readonly oauth?: OAuthSettings;
}

/** An entry that is complete but for the values of its variables. */
export interface CheckedEntry {
  readonly settings: ServerSettings;
  readonly launch: StdioEntry | HttpEntry;
}

type Warn = (message: string, path: Path) => void;

const APPROVALS = ['auto', 'ask', 'never'];
const PROTOCOLS = ['legacy', 'auto', '2026-07-28'];
const MAX_NAME_CHARS = 128;

/** Server names appear in tool names, messages and files. Throws EntryProblem. */
export function checkName(name: string): void {
  if (name.trim() === '') throw new EntryProblem('the name is empty');
  if (name.length > MAX_NAME_CHARS)
    throw new EntryProblem(`the name is longer than ${MAX_NAME_CHARS} characters`);
  if (/[\p{C}\p{Zl}\p{Zp}]/u.test(name)) throw new EntryProblem('the name has invisible characters');
}

/** Throws EntryProblem if a switch is not a boolean. */
export function isDisabled(entry: Entry): boolean {
  return flag(entry, 'disabled') === true || flag(entry, 'enabled') === false;
}

/** Checks everything in an entry that does not depend on variables. Throws EntryProblem. */
export function checkEntry(name: string, entry: Entry, warn: Warn): CheckedEntry {
  for (const [key, why] of Object.entries(REFUSED_KEYS)) {
    if (entry[key] !== undefined && entry[key] !== false) throw new EntryProblem(`'${key}': ${why}`, [key]);
  }
  const transport = transportFor(entry);
  for (const field of transport === 'stdio' ? HTTP_ONLY : STDIO_ONLY) {
    const given = pick(entry, field);
    if (given)
      warn(`'${given.key}' has no effect on ${transport === 'stdio' ? 'a program' : 'an address'}`, [
        given.key,
      ]);
  }
  const launch = transport === 'stdio' ? stdioEntry(entry, warn) : httpEntry(entry, transport);
  return { settings: { name, ...readSettings(entry, warn) }, launch };
}

function transportFor(entry: Entry): 'stdio' | 'http' | 'sse' {
  const command = pick(entry, 'command');
  const url = pick(entry, 'url');
  if (command && url) {
    throw new EntryProblem(`'${command.key}' and '${url.key}' exclude each other`, [url.key]);
  }
  const given = pick(entry, 'transport');
  const named = typeof given?.value === 'string' ? transportOf(given.value) : undefined;
  if (given && named === undefined) {
    throw new EntryProblem(
      `'${given.key}' is ${quoted(given.value)}, which is not a supported transport`,
      [given.key],
      '"type": "stdio" | "http" | "sse"',
    );
  }
  if (named === 'stdio' && url)
    throw new EntryProblem(`a "stdio" server has no '${url.key}'`, [url.key], STDIO_SHAPE);
  if (named !== undefined && named !== 'stdio' && command) {
    throw new EntryProblem(`a "${named}" server has no '${command.key}'`, [command.key], HTTP_SHAPE);
  }
  if (command || named === 'stdio') return 'stdio';
  if (url || named !== undefined) return named ?? 'http';
  throw new EntryProblem("neither 'command' nor 'url' is there");
}

function stdioEntry(entry: Entry, warn: Warn): StdioEntry {
  const [command, ...first] = readCommand(entry, warn);
  const args = pick(entry, 'args');
  if (args && !(Array.isArray(args.value) && args.value.every(item => typeof item === 'string'))) {
    throw new EntryProblem("'args' must be a list of strings", ['args'], '"args": ["one", "two"]');
  }
  const rest = ((args?.value ?? []) as string[]).map((text, index) => ({ text, path: ['args', index] }));
  for (const { text, path } of [command, ...first, ...rest]) {
    if (text.includes('\0')) throw new EntryProblem('a program cannot be given a NUL character', path);
  }
  const [envFile, cwd] = [optionalText(entry, 'envFile'), optionalText(entry, 'cwd')];
  return {
    transport: 'stdio',
    command,
    args: [...first, ...rest],
    env: readEnv(entry),
    ...(envFile && { envFile }),
    ...(cwd && { cwd }),
  };
}

/** The command: a string, or a list that starts with it and continues with arguments. */
function readCommand(entry: Entry, warn: Warn): [Text, ...Text[]] {
  const given = pick(entry, 'command');
  if (!given) throw new EntryProblem("'command' is missing", [], STDIO_SHAPE);
  const { key, value } = given;
  const words = Array.isArray(value) ? value : [value];
  if (words.length === 0 || !words.every(word => typeof word === 'string') || words[0]?.trim() === '') {
    throw new EntryProblem(`'${key}' must be a non-empty string`, [key], STDIO_SHAPE);
  }
  if (typeof value === 'string' && /^(npx|uvx|uv|node|bunx|deno|docker|python3?)\s+\S/.test(value)) {
    warn(`'${key}' is started as one program, spaces included: put the arguments into 'args'`, [key]);
  }
  const [first, ...rest] = words.map((text: string, index) => ({
    text,
    path: Array.isArray(value) ? [key, index] : [key],
  }));
  return [first as Text, ...rest];
}

function readEnv(entry: Entry): Map<string, Text | null> {
  const accepted = '"env": {"NAME": "value", "OTHER": null}';
  return readMap(entry, 'env', accepted, (name, value, path) => {
    if (name === '' || /[=\0]/.test(name)) {
      throw new EntryProblem(`'${path[0]}' has the impossible variable name ${quoted(name)}`, path, accepted);
    }
    if (value === null) return null;
    if (typeof value === 'number') return { text: String(value), path };
    if (typeof value === 'string' && !value.includes('\0')) return { text: value, path };
    throw new EntryProblem(`'${path.join('.')}' must be a string, a number or null`, path, accepted);
  });
}

function httpEntry(entry: Entry, transport: 'http' | 'sse'): HttpEntry {
  const url = optionalText(entry, 'url');
  if (!url) throw new EntryProblem("'url' is missing", [], HTTP_SHAPE);
  const accepted = '"headers": {"Name": "value"}';
  const headers = readMap(entry, 'headers', accepted, (name, value, path) => {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) {
      throw new EntryProblem(`'headers' has the impossible name ${quoted(name)}`, path, accepted);
    }
    if (typeof value !== 'string')
      throw new EntryProblem(`'headers.${name}' must be a string`, path, accepted);
    return { text: value, path };
  });
  const oauth = readOAuth(entry);
  const allowLocalNetwork = flag(entry, 'allowLocalNetwork') === true;
  return { transport, url, headers, allowLocalNetwork, ...(oauth && { oauth }) };
}

function readOAuth(entry: Entry): OAuthSettings | undefined {
  const value = pick(entry, 'oauth')?.value;
  if (value === undefined || value === false) return undefined;
  const accepted =
    '"oauth": {"clientId": "...", "clientSecret": "...", "scope": "...", "callbackPort": 8123, "anyIssuer": false}';
  if (!isPlainObject(value)) throw new EntryProblem("'oauth' must be an object", ['oauth'], accepted);
  const text = (key: string): string | undefined => {
    const item = value[key];
    if (item === undefined || typeof item === 'string') return item;
    throw new EntryProblem(`'oauth.${key}' must be a string`, ['oauth', key], accepted);
  };
  const port = value.callbackPort;
  if (port !== undefined && !(Number.isInteger(port) && (port as number) > 0 && (port as number) < 65536)) {
    throw new EntryProblem("'oauth.callbackPort' must be a port number", ['oauth', 'callbackPort'], accepted);
  }
  const { anyIssuer } = value;
  if (anyIssuer !== undefined && typeof anyIssuer !== 'boolean') {
    throw new EntryProblem("'oauth.anyIssuer' must be true or false", ['oauth', 'anyIssuer'], accepted);
  }
  const [clientId, clientSecret, scope] = [text('clientId'), text('clientSecret'), text('scope')];
  return {
    ...(clientId !== undefined && { clientId }),
    ...(clientSecret !== undefined && { clientSecret }),
    ...(scope !== undefined && { scope }),
    ...(port !== undefined && { callbackPort: port as number }),
    ...(anyIssuer !== undefined && { anyIssuer }),
  };
}

function readSettings(entry: Entry, warn: Warn): Omit<ServerSettings, 'name'> {
  const limit = (field: 'timeout' | 'startupTimeout') => {
    const given = pick(entry, field);
    return given && readTimeLimit(given.key, given.value, message => warn(message, [given.key]));
  };
  const [timeoutMs, startTimeoutMs] = [limit('timeout'), limit('startupTimeout')];
  const [allow, deny] = [patterns(entry, 'allow'), patterns(entry, 'deny')];
  const approval = readApproval(entry);
  const protocol = oneOf(entry, 'protocol', PROTOCOLS) as ServerSettings['protocol'];
  return {
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(startTimeoutMs !== undefined && { startTimeoutMs }),
    ...(allow && { allow }),
    ...(deny && { deny }),
    ...(approval && { approval }),
    ...(protocol && { protocol }),
  };
}

function readApproval(entry: Entry): ApprovalRule[] | undefined {
  const value = entry.approval;
  const accepted = '"approval": "auto" | "ask" | "never", or {"delete_*": "ask", "*": "auto"}';
  if (!isPlainObject(value)) {
    const all = oneOf(entry, 'approval', APPROVALS, accepted);
    return all === undefined ? undefined : [{ pattern: '*', approval: all as Approval }];
  }
  return Object.entries(value).map(([pattern, approval]) => {
    if (typeof approval === 'string' && APPROVALS.includes(approval)) {
      return { pattern, approval: approval as Approval };
    }
    throw new EntryProblem(
      `'approval.${quoted(pattern)}' is ${quoted(approval)}`,
      ['approval', pattern],
      accepted,
    );
  });
}

const DAY_MS = 24 * 3600 * 1000;
/** Keys that other hosts read as seconds. */
const SECONDS = new Set(['tool_timeout_sec', 'tool_timeout', 'startup_timeout_sec', 'init_timeout']);

/**
 * A time limit in milliseconds, from 1 to 24 h. Hosts disagree about the unit, so a number that makes no sense in one
 * unit is read in the other, with a warning: `"timeout": 30` is 30 s, `"tool_timeout_sec": 90000` is 90 s. Throws
 * EntryProblem if it is not a positive number.
 */
function readTimeLimit(key: string, value: unknown, warn: (message: string) => void): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) {
    const unit = SECONDS.has(key) ? 'seconds' : 'milliseconds';
    throw new EntryProblem(`'${key}' must be a positive number of ${unit}`, [key], '"timeout": 30000 (30 s)');
  }
  const [ms, warning] = SECONDS.has(key) ? fromSeconds(value) : fromMilliseconds(value);
  if (warning !== undefined) warn(`'${key}' is ${value}, ${warning}`);
  return Math.max(1, Math.round(ms));
}

function fromMilliseconds(value: number): [number, string?] {
  if (value < 1000) {
    const seconds = `${value} s`;
    return [
      value * 1000,
      `but it is in milliseconds: taken as ${seconds}; write ${Math.round(value * 1000)} for ${seconds}`,
    ];
  }
  if (value > DAY_MS) return [DAY_MS, 'more than a day in milliseconds: taken as 24 h'];
  return [value];
}

function fromSeconds(value: number): [number, string?] {
  if (value * 1000 <= DAY_MS) return [value * 1000];
  if (value <= DAY_MS) return [value, 'more than a day in seconds: taken as milliseconds'];
  return [DAY_MS, 'more than a day: taken as 24 h'];
}
