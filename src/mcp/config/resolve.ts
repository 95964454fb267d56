import { isAbsolute, resolve } from 'node:path';
import { messageOf } from '../../errors.ts';
import { readTextFile } from '../../text/files/read-text-file.ts';
import { percentDecoded } from '../../text/percent-decoded.ts';
import { checkServerUrl, type LocalAccess } from './address-guard.ts';
import type { HttpEntry, StdioEntry } from './entry.ts';
import type { Text } from './fields.ts';
import { HTTP_SHAPE } from './keys.ts';
import { resolveOwnCommand } from './own-command.ts';
import { EntryProblem, type Path } from './problem.ts';
import { headerSecrets, isSecretVariable, looksSecret } from './secrets.ts';
import type { HttpServerConfig, ServerConfig, ServerSettings, StdioServerConfig } from './types.ts';
import { expandVariables, type WatchedScope } from './variables.ts';

export interface ResolvedEntry {
  readonly config: ServerConfig;
  /** Values that must not appear in a log. */
  readonly secrets: readonly string[];
}

interface ResolveOptions {
  readonly scope: WatchedScope;
  /** Local network addresses are allowed, since the user wrote them. */
  readonly userFile: boolean;
}

/** Expands the variables of a checked entry. Throws EntryProblem. */
export function resolveEntry(
  { settings, launch }: { settings: ServerSettings; launch: StdioEntry | HttpEntry },
  { scope: given, userFile }: ResolveOptions,
): ResolvedEntry {
  // Wherever in the entry: arguments and the path of a url too.
  const named: string[] = [];
  const onVariable = (name: string, value: string): void => {
    if (looksSecret(name) && isSecretVariable(name, value)) named.push(value);
  };
  const scope = { ...given, onVariable };
  const { config, secrets } =
    launch.transport === 'stdio'
      ? resolveStdio(settings, launch, scope)
      : resolveHttp(settings, launch, { scope, userFile });
  return { config, secrets: [...new Set([...secrets, ...named])] };
}

/** All texts of an entry that may contain variables. */
export function textsOf(launch: StdioEntry | HttpEntry): Text[] {
  const texts =
    launch.transport === 'stdio'
      ? [launch.command, ...launch.args, ...launch.env.values(), launch.envFile, launch.cwd]
      : [launch.url, ...launch.headers.values()];
  return texts.filter(text => text !== undefined && text !== null);
}

function resolveStdio(settings: ServerSettings, launch: StdioEntry, scope: WatchedScope): ResolvedEntry {
  const path = (text: Text): string => {
    const expanded = expand(text, scope);
    return isAbsolute(expanded) ? expanded : resolve(scope.workspaceFolder, expanded);
  };
  const line = resolveOwnCommand({
    command: expand(launch.command, scope),
    args: launch.args.map(text => expand(text, scope)),
  });
  const env = new Map<string, string | null>(
    launch.envFile ? readEnvFile(path(launch.envFile), launch.envFile.path) : [],
  );
  for (const [name, text] of launch.env) env.set(name, text && expand(text, scope));
  const config: StdioServerConfig = {
    ...settings,
    transport: 'stdio',
    ...line,
    env: Object.fromEntries(env),
    cwd: launch.cwd ? path(launch.cwd) : scope.workspaceFolder,
  };
  const secrets = [...env].flatMap(([name, value]) =>
    value !== null && isSecretVariable(name, value) ? [value] : [],
  );
  return { config, secrets };
}

function resolveHttp(
  settings: ServerSettings,
  launch: HttpEntry,
  { scope, userFile }: ResolveOptions,
): ResolvedEntry {
  const localAccess: LocalAccess = launch.allowLocalNetwork ? 'always' : userFile ? 'named' : 'never';
  const { url, authorization, secrets } = readUrl(launch.url, scope, localAccess);
  const headers = new Map<string, string>(authorization ? [['Authorization', authorization]] : []);
  for (const [name, text] of launch.headers) {
    const value = expand(text, scope);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a header cannot hold them
    if (/[\u0000-\u0008\u000a-\u001f\u007f]/.test(value)) {
      throw new EntryProblem(`'headers.${name}' has a line break or control character in it`, text.path);
    }
    if (name.toLowerCase() === 'authorization') headers.delete('Authorization');
    headers.set(name, value);
  }
  const config: HttpServerConfig = {
    ...settings,
    transport: launch.transport,
    url,
    headers: Object.fromEntries(headers),
    localAccess,
    ...(launch.oauth && { oauth: launch.oauth }),
  };
  return {
    config,
    secrets: [
      ...secrets,
      ...[...headers].flatMap(([name, value]) => headerSecrets(name, value)),
      ...(launch.oauth?.clientSecret ? [launch.oauth.clientSecret] : []),
    ],
  };
}

/** The URL without its credentials, which move to a header so that no message can show them. */
function readUrl(text: Text, scope: WatchedScope, access: LocalAccess) {
  let url: URL;
  try {
    url = checkServerUrl(expand(text, scope), access);
  } catch (error) {
    if (error instanceof EntryProblem) throw error;
    throw new EntryProblem(`'${text.path[0]}': ${messageOf(error)}`, text.path, HTTP_SHAPE);
  }
  const [user, password] = [percentDecoded(url.username), percentDecoded(url.password)];
  url.username = '';
  url.password = '';
  if (user === '' && password === '') return { url: url.href, authorization: undefined, secrets: [] };
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  return { url: url.href, authorization, secrets: [password].filter(secret => secret !== '') };
}

function expand(text: Text, scope: WatchedScope): string {
  try {
    return expandVariables(text.text, scope);
  } catch (error) {
    throw new EntryProblem(messageOf(error), text.path);
  }
}

const MAX_BYTES = 256 * 1024;
const LINE = /^(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.]*)[ \t]*=[ \t]*(.*)$/;

/**
 * Reads the `NAME=value` lines of an env file: comments, `export`, single and double quotes (`\n`, `\t`, `\"`, `\\`
 * in double ones). Variables in values are not expanded. `path`: where the entry names the file. Throws EntryProblem
 * if the file cannot be read, or with the number of a malformed line.
 */
function readEnvFile(file: string, path: Path): Map<string, string> {
  let text: string;
  try {
    text = readTextFile(file, MAX_BYTES);
  } catch (error) {
    throw new EntryProblem(`'envFile': ${(error as Error).message}`, path, '"envFile": ".env"');
  }
  return parseEnvFile(text, file, path);
}

export function parseEnvFile(text: string, file: string, path: Path = []): Map<string, string> {
  const variables = new Map<string, string>();
  for (const [index, line] of text.split(/\r\n|\n|\r/).entries()) {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    const [, name, raw] = LINE.exec(trimmed) ?? [];
    const value = raw === undefined ? undefined : unquote(raw);
    if (name === undefined || value === undefined || value.includes('\0')) {
      throw new EntryProblem(`${file}:${index + 1} is not NAME=value`, path, 'NAME=value, one a line');
    }
    variables.set(name, value);
  }
  return variables;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** undefined: an unclosed quote, or text after one. */
function unquote(raw: string): string | undefined {
  const double = /^"((?:[^"\\]|\\.)*)"[ \t]*(?:#.*)?$/.exec(raw)?.[1];
  if (double !== undefined)
    return double.replace(/\\(.)/g, (_, character: string) => ESCAPES[character] ?? character);
  const single = /^'([^']*)'[ \t]*(?:#.*)?$/.exec(raw)?.[1];
  if (single !== undefined) return single;
  if (/^["']/.test(raw)) return undefined;
  return raw.replace(/[ \t]+#.*$/, '').trimEnd();
}
