import { LlmHostError } from '../errors.ts';
import type { CallOptions, HostTool, ServerState, ToolHost, ToolOutcome } from '../mcp/tool-host.ts';
import type { FunctionHost } from './function-host.ts';

/** A program's functions, and the tools of MCP servers once those are there. A function hides a tool of its name. */
export class JoinedHost implements ToolHost {
  readonly #functions: FunctionHost;
  #servers: ToolHost | undefined;

  constructor(functions: FunctionHost) {
    this.#functions = functions;
  }

  join(servers: ToolHost): void {
    this.#servers = servers;
  }

  tools(): readonly HostTool[] {
    const others = this.#servers?.tools() ?? [];
    return [
      ...this.#functions.tools(),
      ...others.filter(({ definition }) => !this.#functions.has(definition.function.name)),
    ];
  }

  servers(): readonly ServerState[] {
    return this.#servers?.servers() ?? [];
  }

  async call(
    name: string,
    args: Readonly<Record<string, unknown>>,
    options: CallOptions,
  ): Promise<ToolOutcome> {
    const isOurs = this.#servers === undefined || this.#functions.has(name);
    return await (isOurs ? this.#functions : (this.#servers as ToolHost)).call(name, args, options);
  }

  async readResource(server: string, uri: string, options: CallOptions): Promise<ToolOutcome> {
    const read = this.#servers?.readResource?.bind(this.#servers);
    if (read === undefined) throw new LlmHostError('TOOL_FAILED', `Server '${server}' is not there`);
    return await read(server, uri, options);
  }

  refreshStale(): void {
    this.#servers?.refreshStale?.();
  }

  takeNotices(): readonly string[] {
    return this.#servers?.takeNotices?.() ?? [];
  }

  async close(): Promise<void> {
    await this.#servers?.close();
  }
}
