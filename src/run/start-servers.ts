import { join } from 'node:path';
import type { McpConfig } from '../mcp/config/config.ts';
import { McpHost } from '../mcp/host/mcp-host.ts';
import { asSentence, eventSentence } from '../mcp/host/notices.ts';
import type { Authorizer } from '../mcp/oauth/session.ts';
import { OAuthStore } from '../mcp/oauth/store.ts';
import { AllowedTools } from '../mcp/policy/allowed-tools.ts';
import { Redactor } from '../mcp/policy/audit-redact.ts';
import type { ToolPolicy } from '../mcp/policy/policy.ts';
import { EraMemory } from '../mcp/server/era-memory.ts';
import type { ServerState } from '../mcp/tool-host.ts';
import { ToolTrust } from '../mcp/trust/tools.ts';
import { stripControls } from '../text/clean/strip-controls.ts';
import type { Log } from './log.ts';
import { openTrustStore } from './prepare-servers.ts';

export interface ServersReport {
  /** One line per server that is up: name and number of tools. */
  readonly summary: readonly string[];
  /** Warnings of the mcp files, and why servers are not running. */
  readonly problems: readonly string[];
}

/** The host, and what it has to report to the user. */
export interface RunningServers {
  readonly host: McpHost;
  /** Keeps the secrets of the configuration out of files. */
  readonly redactor: Redactor;
  /** The present report; for one caller, since it takes the host's notices. */
  readonly report: () => ServersReport;
  /** The instructions of the servers that are up now, each under its server's name, for the system message. */
  readonly instructions: () => readonly string[];
}

export interface StartServersOptions {
  /** How this program introduces itself to servers. */
  readonly clientInfo: { readonly name: string; readonly version: string };
  /** Where trust, logins and the audit record are kept. */
  readonly stateFolder: string;
  readonly log: Log;
  readonly policy?: ToolPolicy | undefined;
  /** The file that keeps what the user allows for good. */
  readonly allowedToolsFile?: string | undefined;
  /** Default true: every call is recorded in audit.jsonl. */
  readonly audit?: boolean | undefined;
  /** Do not wait for the servers: they come up while the model is loaded, and late ones join. Default false. */
  readonly joinLater?: boolean | undefined;
  /** Takes the user through a login; without one, stored logins are used. */
  readonly authorizer?: Authorizer | undefined;
}

/** Starts all servers side by side. A broken entry or server is a problem to report, not an error. */
export async function startServers(
  config: McpConfig,
  {
    clientInfo,
    stateFolder,
    log,
    policy,
    audit,
    joinLater = false,
    authorizer,
    allowedToolsFile,
  }: StartServersOptions,
): Promise<RunningServers> {
  const redactor = new Redactor(config.secrets);
  const host = new McpHost({
    configs: config.servers,
    disabled: config.switchedOff,
    failures: config.failures,
    clientInfo,
    onLog: (server, line) => log.logger.info({ server }, redactor.text(line)),
    auditFile: audit === false ? undefined : join(stateFolder, 'audit.jsonl'),
    policy,
    allowedTools:
      allowedToolsFile === undefined
        ? undefined
        : new AllowedTools(allowedToolsFile, line => log.logger.warn(line)),
    redactor,
    toolTrust: new ToolTrust(openTrustStore(stateFolder, line => log.logger.warn(line))),
    eras: new EraMemory(join(stateFolder, 'mcp-eras.json'), line => log.logger.warn(line)),
    oauth: { store: new OAuthStore(join(stateFolder, 'logins')), authorizer },
  });
  const started = host.start();
  if (!joinLater) await started;
  return {
    host,
    redactor,
    report: () => ({
      summary: host
        .servers()
        .flatMap(({ name, state, tools }) =>
          state === 'ready' ? [`Server ${name}: ${tools} ${tools === 1 ? 'tool' : 'tools'}`] : [],
        ),
      problems: [...config.warnings, ...startProblems(host, redactor)],
    }),
    instructions: () => instructionsOf(host),
  };
}

/** Notices of the start, slow servers, and why servers failed. */
function startProblems(host: McpHost, redactor: Redactor): string[] {
  const states = host.servers();
  // The summary or a failure already says so.
  host.dropReadyNotices();
  const said = new Set(states.map(({ name, error = '' }) => eventSentence(name, 'failed', error)));
  return [
    ...host.takeNotices().filter(notice => !said.has(notice)),
    ...startingSentences(states),
    ...states.flatMap(({ state, error }) =>
      state === 'failed' && error ? [asSentence(stripControls(redactor.text(error)))] : [],
    ),
  ];
}

function instructionsOf(host: McpHost): string[] {
  return host
    .servers()
    .flatMap(({ name, state, instructions }) =>
      instructions && state === 'ready' ? [`${name}:\n${instructions}`] : [],
    );
}

/** More servers that are starting are counted instead of named. */
const MAX_NAMED = 5;

/** Sentences for the user about servers that are not ready yet. */
export function startingSentences(servers: readonly ServerState[]): string[] {
  const starting = servers.filter(({ state }) => state === 'starting');
  const one = 'is still starting; its tools join when it is ready.';
  const several = 'are still starting; their tools join when they are ready.';
  const installs = 'which may take minutes;';
  return [
    ...sentenceOf(
      starting.filter(({ installing }) => !installing),
      one,
      several,
    ),
    ...sentenceOf(
      starting.filter(({ installing }) => installing),
      `is installing its package, ${installs} its tools join then.`,
      `are installing their packages, ${installs} their tools join then.`,
    ),
  ];
}

/** A sentence about a few servers by name, or about many by number. */
function sentenceOf(servers: readonly ServerState[], one: string, several: string): string[] {
  const names = servers.map(({ name }) => `'${name}'`);
  if (names.length === 0) return [];
  if (names.length > MAX_NAMED) return [`${names.length} servers ${several}`];
  return [names.length === 1 ? `Server ${names[0]} ${one}` : `Servers ${names.join(', ')} ${several}`];
}
