import { join } from 'node:path';
import type { McpConfig } from '../../mcp/config/config.ts';
import type { McpFile } from '../../mcp/config/document.ts';
import { McpHost } from '../../mcp/mcp-host.ts';
import { asSentence, eventSentence } from '../../mcp/notices.ts';
import type { Authorizer } from '../../mcp/oauth/session.ts';
import { OAuthStore } from '../../mcp/oauth/store.ts';
import { Redactor } from '../../mcp/policy/audit-redact.ts';
import type { ToolPolicy } from '../../mcp/policy/policy.ts';
import { cleanDescription } from '../../mcp/trust/text.ts';
import { ToolTrust } from '../../mcp/trust/tools.ts';
import { stripControls } from '../../text/strip-controls.ts';
import type { Log } from '../process/log.ts';
import { VERSION } from '../process/version.ts';
import { demoFolder, demoMcpText } from '../settings/demo.ts';
import { APPLICATION_DIRECTORY, stateDirectory } from '../settings/lookup.ts';
import { openTrustStore } from '../settings/prepare-servers.ts';

/** The host with everything a chat wants to say about it. */
export interface RunningServers {
  readonly host: McpHost;
  /** Keeps the secrets of the configuration out of files. */
  readonly redactor: Redactor;
  /** One line per server: name and number of tools. */
  readonly summary: readonly string[];
  /** Warnings of the files, and why servers are not there. */
  readonly problems: readonly string[];
  /** Text for the system message, under each server's name, of those that are up now. */
  readonly instructions: () => readonly string[];
}

export interface ServerOptions {
  readonly policy?: ToolPolicy;
  /** Default true: every call is recorded in audit.jsonl. */
  readonly audit?: boolean | undefined;
  /** Go on without a server that keeps the others waiting this many milliseconds; its tools join later. */
  readonly patienceMs?: number;
  /** Takes the user through a login; without one, stored logins are used. */
  readonly authorizer?: Authorizer;
}

/** The demo's servers, for when no mcp.json is found. */
export function demoMcpFile(env: NodeJS.ProcessEnv): McpFile {
  return { path: join(APPLICATION_DIRECTORY, 'mcp.json'), text: demoMcpText(demoFolder(env)) };
}

/** Starts all servers, in parallel; a broken entry or server is a problem to report, not an error. */
export async function startServers(
  config: McpConfig,
  log: Log,
  env: NodeJS.ProcessEnv,
  options: ServerOptions = {},
): Promise<RunningServers> {
  const redactor = new Redactor(config.secrets);
  const toolTrust = new ToolTrust(openTrustStore(env, line => log.logger.warn(line)));
  const host = new McpHost({
    configs: config.servers,
    disabled: config.switchedOff,
    failures: config.failures,
    clientInfo: { name: 'llm-host', version: VERSION },
    onLog: (server, line) => log.logger.info({ server }, redactor.text(line)),
    ...(options.audit !== false && { auditFile: join(stateDirectory(env), 'audit.jsonl') }),
    ...(options.policy && { policy: options.policy }),
    redactor,
    toolTrust,
    oauth: {
      store: new OAuthStore(join(stateDirectory(env), 'logins')),
      ...(options.authorizer && { authorizer: options.authorizer }),
    },
  });
  const late = options.patienceMs === undefined ? [] : await host.startPatiently(options.patienceMs);
  if (options.patienceMs === undefined) await host.start();
  const states = host.servers();
  // What the summary says already.
  const said = new Set(
    states.flatMap(({ name, tools, error = '' }) => [
      eventSentence(name, 'ready', String(tools)),
      eventSentence(name, 'failed', error),
    ]),
  );
  const notices = host.takeNotices().filter(notice => !said.has(notice));
  return {
    host,
    redactor,
    summary: states.flatMap(({ name, state, tools }) =>
      state === 'ready' ? [`Server ${name}: ${tools} tools`] : [],
    ),
    problems: [
      ...config.warnings,
      ...notices,
      ...late.map(name => `Server '${name}' is still starting; its tools join when it is ready.`),
      ...states.flatMap(({ state, error }) =>
        state === 'failed' && error ? [asSentence(stripControls(redactor.text(error)))] : [],
      ),
    ],
    instructions: () =>
      host
        .servers()
        .flatMap(({ name, state, instructions }) =>
          instructions && state === 'ready' ? [`${name}:\n${cleanDescription(instructions)}`] : [],
        ),
  };
}
