import { LlmHostError } from '../../errors.ts';
import type { HttpServerConfig, McpConfig } from '../../mcp/config/config.ts';
import { LoopbackRedirect } from '../../mcp/oauth/loopback-redirect.ts';
import type { HostTool } from '../../mcp/tool-host.ts';
import { type DefinitionCounter, definitionCounter } from '../../run/definition-counter.ts';
import { startServers } from '../../run/start-servers.ts';
import { stripControls } from '../../text/clean/strip-controls.ts';
import { visible } from '../../text/clean/visible.ts';
import { formatArguments } from '../../text/console-format.ts';
import { CLIENT_INFO, stateDirectory } from '../process/app.ts';
import { prepareMcp } from '../process/prepare-mcp.ts';
import { openProgramLog } from '../process/program-log.ts';
import type { Signals } from '../process/signals.ts';
import { wrapped } from '../process/terminal.ts';
import { findMcpFile, MissingFile } from '../settings/lookup.ts';
import { findConfig, lookUpMcpFile, readMcpFiles } from '../settings/settings.ts';
import { toolPolicy } from '../start/run-options.ts';
import { tokenLines } from './definition-tokens.ts';

/** Milliseconds. */
const LOGIN_LIMIT_MS = 10 * 60_000;

export interface ToolsOptions {
  /** Files; if empty, those of the lookup. */
  readonly mcp: readonly string[];
  /** The server to log in to. */
  readonly login?: string | undefined;
}

/** `llm-host tools`: starts the servers and prints each one's state and tools. 0 if all are up, else 69. */
export async function showTools({ mcp, login }: ToolsOptions, signals: Signals): Promise<number> {
  const where = { cwd: process.cwd(), env: process.env };
  const files = mcp.length > 0 ? readMcpFiles(mcp, where.cwd) : lookUpMcpFile(where);
  if (!files) throw new MissingFile('mcp.json', findMcpFile(where).searched);
  const settings = findConfig(where);
  const all = await prepareMcp(files, where);
  const config = login === undefined ? all : { ...all, servers: [loginTarget(all, login)], failures: [] };
  const redirect = login === undefined ? undefined : await openRedirect(loginTarget(all, login));
  const { host, report } = await startServers(config, {
    log: openProgramLog(where.env),
    clientInfo: CLIENT_INFO,
    stateFolder: stateDirectory(where.env),
    authorizer: redirect,
    policy: settings && toolPolicy({}, settings),
  });
  const counter = definitionCounter(settings?.model, where);
  const { problems } = report();
  signals.addCleanup(() => host.close());
  try {
    for (const server of host.servers()) {
      const mine = host.tools().filter(tool => tool.server === server.name);
      const hidden = server.tools - mine.length;
      const more = hidden > 0 ? ` (${hidden} not offered to the model)` : '';
      const count = `${mine.length} ${mine.length === 1 ? 'tool' : 'tools'}${more}`;
      show(`${server.name}: ${server.state}, ${count}\n${mine.map(describe).join('')}`);
    }
    if (host.tools().length > 0) show(tokensOf(host.tools(), counter));
    for (const problem of problems) process.stderr.write(`Notice: ${stripControls(problem)}\n`);
    return problems.length > 0 ? 69 : 0;
  } finally {
    redirect?.close();
    await host.close();
  }
}

const show = (text: string): void => void process.stdout.write(wrapped(text, process.stdout, process.env));

/** The entry to log in to, with time enough for a person. Throws LlmHostError USAGE. */
function loginTarget({ servers }: McpConfig, name: string): HttpServerConfig {
  const found = servers.find(server => server.name === name);
  if (found === undefined) {
    const names = servers.filter(({ transport }) => transport !== 'stdio').map(server => server.name);
    throw new LlmHostError('USAGE', `--login: there is no server '${name}'`, {
      hint: `Servers with a url: ${names.join(', ') || 'none'}`,
    });
  }
  if (found.transport === 'stdio') {
    throw new LlmHostError('USAGE', `--login: '${name}' is a local program, which needs no login`);
  }
  return { ...found, startTimeoutMs: LOGIN_LIMIT_MS };
}

function openRedirect({ oauth }: HttpServerConfig): Promise<LoopbackRedirect> {
  const show = (url: URL): void => {
    process.stderr.write(`Open this address in a browser to log in:\n${visible(url.href)}\n`);
  };
  return LoopbackRedirect.open(show, oauth?.callbackPort);
}

/** Counts the tokens that the definitions take in every prompt. */
function tokensOf(tools: readonly HostTool[], { model, one }: DefinitionCounter): string {
  const lines = tokenLines(tools, ({ definition }) => one(definition));
  const by =
    model === undefined ? 'estimated; a "model" of this machine in config.json counts them' : `by ${model}`;
  return stripControls(`Tokens of the definitions, ${by}:\n${lines.map(line => `  ${line}\n`).join('')}`);
}

function describe({ definition }: HostTool): string {
  const { name, description, parameters } = definition.function;
  const properties = (parameters.properties ?? {}) as Record<string, { type?: unknown }>;
  const types = Object.fromEntries(
    Object.entries(properties).map(([key, schema]) => [key, schema.type ?? 'any']),
  );
  // A description of several lines must not look like the next tool.
  const about = (description ?? '').trim().replaceAll('\n', '\n    ');
  const line = `  ${name}(${formatArguments(types).replaceAll('"', '')})${about && ` - ${about}`}`;
  return `${stripControls(line)}\n`;
}
