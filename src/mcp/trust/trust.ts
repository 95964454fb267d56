import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve } from 'node:path';
import { visible } from '../../text/clean/visible.ts';
import { readTextFile } from '../../text/files/read-text-file.ts';
import type { McpDocument, ServerEntry } from '../config/document.ts';
import type { StdioEntry } from '../config/entry.ts';
import type { Text } from '../config/fields.ts';
import { looksSecret } from '../config/secrets.ts';
import type { ServerSettings } from '../config/types.ts';
import { expandVariables, type VariableScope } from '../config/variables.ts';
import type { TrustStore } from './store.ts';

/** A launch that needs the user to allow it. */
export interface LaunchRequest extends Launch {
  /** Allowed before, but different now. */
  readonly changed: boolean;
}

export interface ConsentOptions {
  readonly store: TrustStore;
  readonly scope: (document: McpDocument) => VariableScope;
  /** Allow the servers of every file (`LLM_HOST_TRUST_MCP=1`); nothing is remembered. */
  readonly allowAll: boolean;
  /** Asks once for all launches of a file; undefined if nobody can be asked. */
  readonly confirm?:
    | ((document: McpDocument, launches: readonly LaunchRequest[]) => Promise<boolean>)
    | undefined;
}

/**
 * Asks about the servers of an mcp file found in the working directory, once per exact command line. Servers that are
 * not allowed leave the document and are listed as failures that say why.
 */
export async function withConsent(document: McpDocument, options: ConsentOptions): Promise<McpDocument> {
  if (document.file.origin !== 'project' || options.allowAll) return document;
  const { store, confirm } = options;
  const scope = options.scope(document);
  const allowed = store.get('launches', document.file.path);
  const requestOf = (entry: ServerEntry): LaunchRequest | undefined => {
    if (isHarmless(entry, scope)) return undefined;
    const launch = launchOf(entry, scope);
    const before = allowed.get(entry.name);
    return before === launch.fingerprint ? undefined : { ...launch, changed: before !== undefined };
  };
  // Disabled servers are not asked about, and can be enabled only if they were allowed before.
  const switchedOff = document.switchedOff.filter(entry => requestOf(entry) === undefined);
  const open = document.entries.flatMap(entry => {
    const request = requestOf(entry);
    return request === undefined ? [] : [{ entry, request }];
  });
  if (open.length === 0) return { ...document, switchedOff };
  const requests = open.map(({ request }) => request);
  if (await confirm?.(document, requests)) {
    const fingerprints = requests.map(({ server, fingerprint }) => [server, fingerprint] as const);
    store.set('launches', document.file.path, new Map(fingerprints));
    return { ...document, switchedOff };
  }
  const names = new Set(open.map(({ entry }) => entry.name));
  const failures = open.map(({ entry, request }) => ({ name: entry.name, error: refusal(entry, request) }));
  return {
    ...document,
    switchedOff,
    entries: document.entries.filter(entry => !names.has(entry.name)),
    failures: [...document.failures, ...failures],
    warnings: [...document.warnings, howToAllow(document)],
  };
}

function refusal(entry: ServerEntry, { shown, changed }: LaunchRequest): string {
  const why = changed ? 'it has changed since you allowed it' : 'you have not allowed it';
  return `${entry.locate()}: server '${entry.name}' was not started, ${why}: ${shown}`;
}

function howToAllow({ file }: McpDocument): string {
  return (
    `${file.path} came with the working directory. To allow its servers: start llm-host on a terminal and answer ` +
    `yes, or name the file with --mcp, or set LLM_HOST_TRUST_MCP=1`
  );
}

/** The program that an entry would start, for the user to approve. */
export interface Launch {
  readonly server: string;
  /** The whole command line or URL as written in the file, with nothing cut or hidden. */
  readonly shown: string;
  /**
   * Changes with anything that decides what runs, including the env file, which can set NODE_OPTIONS, and what runs without a
   * question.
   */
  readonly fingerprint: string;
}

const MAX_ENV_FILE_BYTES = 256 * 1024;
const BUNDLED = new Set(['calculator', 'research']);

/**
 * Variables stay unexpanded in what is shown and compared: their values may be secret, and they come from the user's
 * environment, not from the file in question.
 */
function launchOf({ name, launch, settings }: ServerEntry, scope: VariableScope): Launch {
  const parts: unknown[] =
    launch.transport === 'stdio'
      ? [
          launch.command.text,
          launch.args.map(({ text }) => text),
          [...launch.env].map(([key, value]) => [key, value?.text ?? null]).sort(),
          launch.cwd?.text,
          launch.envFile && [launch.envFile.text, contentHash(launch.envFile, scope)],
        ]
      : [
          launch.transport,
          launch.url.text,
          [...launch.headers].map(([key, value]) => [key, value.text]).sort(),
          launch.allowLocalNetwork,
          launch.oauth,
        ];
  const unasked = unaskedTools(settings);
  if (unasked.length > 0) parts.push({ unasked });
  const line = launch.transport === 'stdio' ? programLine(launch) : addressLine(launch);
  const shown = [
    line,
    ...(unasked.length > 0 ? [`(without a question: ${unasked.map(word).join(' ')})`] : []),
  ];
  return { server: name, shown: shown.join(' '), fingerprint: sha256(JSON.stringify(parts)) };
}

/** Patterns of tools that an entry lets delete and overwrite unasked, which is not for the project's author to say. */
function unaskedTools({ approval = [] }: ServerSettings): string[] {
  return approval.flatMap(rule => (rule.approval === 'auto' ? [rule.pattern] : []));
}

/**
 * Whether an entry only runs a server of this package that cannot reach outside the project, which needs no question, and
 * leaves the questions about its calls as they are.
 */
function isHarmless({ launch, settings }: ServerEntry, scope: VariableScope): boolean {
  if (unaskedTools(settings).length > 0) return false;
  if (launch.transport !== 'stdio' || launch.command.text !== 'llm-host') return false;
  if (launch.env.size > 0 || launch.envFile || launch.cwd) return false;
  const [verb, name, option, root, ...more] = launch.args;
  if (verb?.text !== 'server' || name === undefined || more.length > 0) return false;
  if (BUNDLED.has(name.text)) return option === undefined;
  if (name.text !== 'files' || option?.text !== '--root' || root === undefined) return false;
  try {
    const project = realpathSync(scope.workspaceFolder);
    const inside = relative(project, realpathSync(resolve(project, expandVariables(root.text, scope))));
    return inside === '' || !(inside.startsWith('..') || isAbsolute(inside));
  } catch {
    return false;
  }
}

function programLine({ command, args, env, envFile, cwd }: StdioEntry): string {
  const variables = [...env].map(([name, value]) => {
    if (value === null) return `${word(name)} unset`;
    return `${word(name)}=${looksSecret(name) ? '...' : word(value.text)}`;
  });
  return [
    [command, ...args].map(({ text }) => word(text)).join(' '),
    ...(cwd ? [`(in ${word(cwd.text)})`] : []),
    ...(variables.length > 0 ? [`(with ${variables.join(' ')})`] : []),
    ...(envFile ? [`(with the variables of ${word(envFile.text)})`] : []),
  ].join(' ');
}

function addressLine(launch: Exclude<ServerEntry['launch'], StdioEntry>): string {
  // A user and password may precede the @.
  const url = visible(launch.url.text).replace(/^(\w+:\/\/)[^/?#]*@/, '$1...@');
  const headers = [...launch.headers.keys()].map(word);
  return [
    url,
    ...(headers.length > 0 ? [`(with the headers ${headers.join(' ')})`] : []),
    ...(launch.allowLocalNetwork ? ['(may be on the local network)'] : []),
  ].join(' ');
}

/** One word of a command line, quoted as in a shell. */
function word(text: string): string {
  const seen = visible(text);
  return /^[\w@%+=:,./${}\\-]+$/.test(seen) ? seen : `'${seen.replaceAll("'", "'\\''")}'`;
}

function contentHash(file: Text, scope: VariableScope): string {
  try {
    const path = resolve(scope.workspaceFolder, expandVariables(file.text, scope));
    return sha256(readTextFile(path, MAX_ENV_FILE_BYTES));
  } catch {
    // If the file cannot be read, the server does not start either.
    return '';
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
