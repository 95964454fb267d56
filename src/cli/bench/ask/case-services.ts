import { extendedHost } from '../../../agent/calls/extended-host.ts';
import { type Services, serviceConfigs } from '../../../bench/tools/bfcl/services.ts';
import type { Conversation, MadeCall } from '../../../bench/tools/cases/tool-case.ts';
import type { ConversationFault } from '../../../bench/tools/score/conversation-fault.ts';
import { LlmHostError } from '../../../errors.ts';
import { McpHost } from '../../../mcp/host/mcp-host.ts';
import type { HostTool, ToolHost } from '../../../mcp/tool-host.ts';
import { VERSION } from '../../process/version.ts';

/** The services of one conversation, each a server of its own, and the calls that reached them. */
export class CaseServices {
  readonly #mcp: McpHost;
  readonly #conversation: Conversation;
  readonly #turns: MadeCall[][] = [];
  readonly #broken = new AbortController();
  #fault: ConversationFault | undefined;
  /** What the model has for tools. */
  readonly host: ToolHost;

  /** @throws LlmHostError MCP_SERVER if one does not start */
  static async start(services: Services, id: string, conversation: Conversation): Promise<CaseServices> {
    const started = new CaseServices(services, id, conversation);
    try {
      await started.#start();
      return started;
    } catch (error) {
      await started.close();
      throw error;
    }
  }

  private constructor(services: Services, id: string, conversation: Conversation) {
    this.#conversation = conversation;
    this.#mcp = new McpHost({
      configs: serviceConfigs(services, id, conversation.services),
      clientInfo: { name: 'llm-host', version: VERSION },
      workingDirectory: services.folder,
    });
    this.host = extendedHost(this.#mcp, { tools: () => this.#tools(), call: this.#call.bind(this) });
  }

  /** The calls that reached a service, by turn. */
  get turns(): readonly (readonly MadeCall[])[] {
    return this.#turns;
  }

  /** A service has ended or gave no answer; what it knew is lost. */
  get fault(): ConversationFault | undefined {
    return this.#fault;
  }

  /** Fires with the fault. */
  get broken(): AbortSignal {
    return this.#broken.signal;
  }

  /** From now on calls are of the next turn, with the tools of that. */
  nextTurn(): void {
    this.#turns.push([]);
  }

  close(): Promise<void> {
    return this.#mcp.close();
  }

  async #start(): Promise<void> {
    await this.#mcp.start();
    const failed = this.#mcp.servers().find(({ state }) => state !== 'ready');
    if (failed) throw new LlmHostError('MCP_SERVER', failed.error ?? `${failed.name} did not start`);
    this.#mcp.takeNotices();
    // A server that ended is started again, but it has forgotten all.
    this.#mcp.onChange(() => {
      if (this.#mcp.servers().some(({ state }) => state !== 'ready' && state !== 'closed'))
        this.#break('server failed');
    });
  }

  #tools(): readonly HostTool[] {
    const withheld = [...this.#conversation.withheld].flatMap(([turn, names]) =>
      turn >= this.#turns.length ? names : [],
    );
    return this.#mcp.tools().filter(({ tool }) => !withheld.includes(tool));
  }

  async #call(...[name, args, options]: Parameters<ToolHost['call']>): ReturnType<ToolHost['call']> {
    const called = this.#tools().find(({ definition }) => definition.function.name === name);
    if (called) this.#turns.at(-1)?.push({ name: called.tool, arguments: args });
    try {
      return await this.#mcp.call(name, args, options);
    } catch (error) {
      const { code } = error as LlmHostError;
      if (code !== 'CANCELLED') this.#break(code === 'TOOL_TIMEOUT' ? 'call timed out' : 'server failed');
      throw error;
    }
  }

  #break(fault: ConversationFault): void {
    this.#fault ??= fault;
    this.#broken.abort();
  }
}
