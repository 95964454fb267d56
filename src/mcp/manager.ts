import { ProtocolError } from '@modelcontextprotocol/client';
import { LlmHostError, messageOf } from '../errors.ts';
import { nearest } from '../text/nearest.ts';
import { type AuditEntry, AuditLog } from './audit.ts';
import type { ServerConfig } from './config-types.ts';
import { type Connection, quoteTail } from './connection.ts';
import { Deadline } from './deadline.ts';
import { ManagedServer } from './managed-server.ts';
import { resultText } from './result-text.ts';
import type { CallOptions, HostTool, ServerState, ToolHost, ToolOutcome } from './tool-host.ts';
import { offeredNames } from './tool-names.ts';
import type { ServerTool } from './wire-schemas.ts';

const MAX_RESULT_CHARS = 60_000;

export interface McpHostOptions {
  readonly configs: readonly ServerConfig[];
  /** Entries that could not be read; they appear among the servers as failed. */
  readonly failures?: readonly { readonly name: string; readonly error: string }[];
  /** Each line of a server's stderr, and what the host has to say about it. */
  readonly onLog?: (server: string, line: string) => void;
  /** Longer results are cut with a note. Default 60,000 characters. */
  readonly maxResultChars?: number;
  /** JSONL file for the record of all calls; none by default. */
  readonly auditFile?: string;
  readonly clientInfo?: { readonly name: string; readonly version: string };
}

interface Target {
  readonly tool: HostTool;
  readonly server: ManagedServer;
}

/** All servers of an mcp.json and the tools that they offer. */
export class McpHost implements ToolHost {
  readonly #servers: readonly ManagedServer[];
  readonly #failed: readonly ServerState[];
  readonly #maxResultChars: number;
  readonly #audit: AuditLog | undefined;
  #targets: Map<string, Target> | undefined;
  #closed: Promise<void> | undefined;

  constructor(options: McpHostOptions) {
    const log = options.onLog ?? (() => {});
    const programs = options.configs.filter(config => config.transport === 'stdio');
    this.#servers = programs.map(
      config =>
        new ManagedServer(config, {
          clientInfo: options.clientInfo ?? { name: 'llm-host', version: '0' },
          onLog: line => log(config.name, line),
          onChange: () => {
            this.#targets = undefined;
          },
        }),
    );
    const addresses = options.configs.filter(config => config.transport !== 'stdio');
    this.#failed = [
      ...addresses.map(({ name }) => failed(name, `server '${name}': HTTP servers are not supported yet`)),
      ...(options.failures ?? []).map(({ name, error }) => failed(name, error)),
    ];
    this.#maxResultChars = options.maxResultChars ?? MAX_RESULT_CHARS;
    this.#audit =
      options.auditFile === undefined
        ? undefined
        : new AuditLog(options.auditFile, line => log('audit', line));
  }

  /** Starts all servers in parallel; resolves when each is ready or has failed. Never throws because of a server. */
  async start(): Promise<void> {
    if (this.#closed !== undefined) return;
    await Promise.all(this.#servers.map(server => server.start()));
  }

  tools(): readonly HostTool[] {
    return [...this.#targetsByName().values()].map(target => target.tool);
  }

  servers(): readonly ServerState[] {
    return [...this.#servers.map(server => server.state), ...this.#failed];
  }

  async call(
    name: string,
    args: Readonly<Record<string, unknown>>,
    options: CallOptions,
  ): Promise<ToolOutcome> {
    const target = this.#targetsByName().get(name);
    if (target === undefined) throw this.#unknownTool(name);
    const started = Date.now();
    const record = (outcome: AuditEntry['outcome']): void =>
      this.#audit?.append({
        time: new Date(started).toISOString(),
        server: target.tool.server,
        tool: target.tool.tool,
        arguments: args,
        outcome,
        durationMs: Date.now() - started,
      });
    try {
      const outcome = await this.#callTarget(target, args, options);
      record(outcome.isError ? 'tool_error' : 'ok');
      return outcome;
    } catch (error) {
      record(outcomeOf(error));
      throw error;
    }
  }

  close(): Promise<void> {
    this.#closed ??= Promise.all(this.#servers.map(server => server.close())).then(() => undefined);
    return this.#closed;
  }

  async #callTarget(
    { tool, server }: Target,
    args: Readonly<Record<string, unknown>>,
    options: CallOptions,
  ): Promise<ToolOutcome> {
    const { name } = tool.definition.function;
    // The entry's own limit is the more specific one.
    const timeoutMs = server.config.timeoutMs ?? options.timeoutMs;
    const deadline = new Deadline(timeoutMs, options.signal);
    let connection: Connection | undefined;
    try {
      connection = await deadline.race(server.connection());
      const result = await connection.call(tool.tool, args, deadline.signal, progressListener(options));
      server.noteSuccess();
      return { text: resultText(result, this.#maxResultChars), isError: result.isError === true };
    } catch (error) {
      if (deadline.expired) {
        throw new LlmHostError(
          'TOOL_TIMEOUT',
          `Tool '${name}' timed out after ${(timeoutMs / 1000).toFixed(1)}s`,
        );
      }
      if (deadline.signal.aborted) throw new LlmHostError('CANCELLED', `Tool '${name}' was cancelled`);
      throw callFailure(tool, error, connection);
    } finally {
      deadline.dispose();
    }
  }

  #targetsByName(): Map<string, Target> {
    this.#targets ??= offer(this.#servers);
    return this.#targets;
  }

  #unknownTool(name: string): LlmHostError {
    const names = [...this.#targetsByName().keys()];
    const near = nearest(name, names);
    const advice =
      near === undefined ? `Available: ${names.join(', ') || 'none'}` : `Did you mean '${near}'?`;
    return new LlmHostError('TOOL_FAILED', `There is no tool '${name}'`, { hint: advice });
  }
}

function failed(name: string, error: string): ServerState {
  return { name, state: 'failed', tools: 0, error };
}

/** The tools of all servers, in the order of mcp.json, under the names that the model gets. */
function offer(servers: readonly ManagedServer[]): Map<string, Target> {
  const all = servers.flatMap(server => server.tools.map(tool => ({ server, tool })));
  const names = offeredNames(
    all.map(({ server, tool }) => ({ server: server.config.name, tool: tool.name })),
  );
  return new Map(
    all.map(({ server, tool }, index) => {
      const name = names[index] as string;
      return [name, { server, tool: hostTool(name, server.config.name, tool) }];
    }),
  );
}

function hostTool(name: string, server: string, tool: ServerTool): HostTool {
  // `$schema` says nothing to a model and costs tokens in every prompt.
  const { $schema: _, ...schema } = tool.inputSchema ?? {};
  const parameters = { type: 'object', properties: {}, ...schema };
  const description = tool.description === undefined ? {} : { description: tool.description };
  return {
    definition: { type: 'function', function: { name, ...description, parameters } },
    server,
    tool: tool.name,
    readOnly: tool.annotations?.readOnlyHint === true,
  };
}

function progressListener({ onProgress }: CallOptions): Parameters<Connection['call']>[3] {
  if (onProgress === undefined) return undefined;
  return ({ progress, total, message }) =>
    onProgress({
      done: progress,
      ...(total === undefined ? {} : { total }),
      ...(message === undefined ? {} : { message }),
    });
}

function callFailure(tool: HostTool, error: unknown, connection: Connection | undefined): LlmHostError {
  if (error instanceof LlmHostError) return error;
  const ending = connection?.ending;
  if (ending !== undefined && !(error instanceof ProtocolError)) {
    const text = `server '${tool.server}' ${ending} during the call of '${tool.tool}'`;
    return new LlmHostError('TOOL_FAILED', `${text}${quoteTail(connection?.stderrTail ?? '')}`, {
      cause: error,
    });
  }
  const name = tool.definition.function.name;
  return new LlmHostError('TOOL_FAILED', `Tool '${name}' failed: ${messageOf(error)}`, { cause: error });
}

function outcomeOf(error: unknown): AuditEntry['outcome'] {
  const code = error instanceof LlmHostError ? error.code : undefined;
  if (code === 'TOOL_TIMEOUT') return 'timeout';
  return code === 'CANCELLED' ? 'cancelled' : 'failed';
}
