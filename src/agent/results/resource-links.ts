import type { HostTool, ToolHost, ToolOutcome } from '../../mcp/tool-host.ts';
import { extendedHost, firstFree } from '../calls/extended-host.ts';

/** The names it is offered under: the first that no server's tool has. */
const NAMES = ['read_resource', 'llm_host_read_resource', 'llm_host__read_resource'] as const;
const NOTE = /\n\[\w+ \{"uri":"(?:[^"\\\n]|\\.)*"\} reads (?:the|a) link\]/g;
/** Links named in an answer. */
const NAMED = 5;

const TOOLS: readonly HostTool[] = NAMES.map(name => ({
  definition: {
    type: 'function',
    function: {
      name,
      description: "Reads a resource that a tool's result links to.",
      parameters: {
        type: 'object',
        properties: { uri: { type: 'string', description: 'as the link has it' } },
        required: ['uri'],
      },
    },
  },
  server: 'llm-host',
  tool: name,
  readOnly: true,
  // The result with the link says how to use it, so the head of the prompt need not change.
  unlisted: true,
}));

/** The links in the results of one conversation, which the model can read, each from the server that gave it. */
export class ResourceLinks {
  readonly #host: ToolHost;
  readonly #links: KeptLinks;

  /** @param links those of before. Default: none */
  constructor(host: ToolHost, links = new KeptLinks()) {
    this.#host = host;
    this.#links = links;
  }

  /** The host with the tool that reads links, once there are some. */
  joined(): ToolHost {
    const host = this.#host;
    if (host.readResource === undefined) return host;
    return extendedHost(host, {
      tools: () => (this.#links.isEmpty ? host.tools() : [...host.tools(), this.#tool()]),
      call: async (name, args, options) => {
        if (!this.#links.isEmpty && name === this.#tool().tool) return await this.#read(args.uri, options);
        return this.#noted(await host.call(name, args, options));
      },
    });
  }

  clear(): void {
    this.#links.clear();
  }

  #tool(): HostTool {
    return firstFree(TOOLS, this.#host.tools());
  }

  async #read(uri: unknown, options: Parameters<ToolHost['call']>[2]): Promise<ToolOutcome> {
    const wanted = typeof uri === 'string' ? uri.trim() : '';
    const server = this.#links.serverOf(wanted);
    if (server === undefined || this.#host.readResource === undefined) {
      const latest = this.#links.all().slice(-NAMED);
      const known = latest.map(([address]) => address).join(', ');
      return { text: `No result has linked to that. Links: ${known}.`, isError: true };
    }
    return this.#noted(await this.#host.readResource(server, wanted, options));
  }

  /** The outcome, with how to read its links. */
  #noted(outcome: ToolOutcome): ToolOutcome {
    const { links = [] } = outcome;
    const [first] = links;
    if (first === undefined) return outcome;
    for (const { server, uri } of links) this.#links.keep(uri, server);
    const note = `\n[${this.#tool().tool} ${JSON.stringify({ uri: first.uri })} reads ${links.length === 1 ? 'the link' : 'a link'}]`;
    const { text, whole } = outcome;
    return { ...outcome, text: text + note, ...(whole !== undefined && { whole: whole + note }) };
  }
}

/** A tool's result without how to read its links, for a conversation that goes on without them. */
export function withoutLinkNote(content: string): string {
  return content.replaceAll(NOTE, '');
}

const MAX_LINKS = 100;

/** The links in the results of one conversation, each with the server that gave it. */
export class KeptLinks {
  /** Servers by address, the latest last. */
  readonly #links = new Map<string, string>();

  /** The oldest goes if there are too many. */
  keep(uri: string, server: string): void {
    this.#links.delete(uri);
    this.#links.set(uri, server);
    const oldest = this.#links.size > MAX_LINKS ? this.#links.keys().next().value : undefined;
    if (oldest !== undefined) this.#links.delete(oldest);
  }

  serverOf(uri: string): string | undefined {
    return this.#links.get(uri);
  }

  all(): readonly (readonly [uri: string, server: string])[] {
    return [...this.#links];
  }

  get isEmpty(): boolean {
    return this.#links.size === 0;
  }

  clear(): void {
    this.#links.clear();
  }
}
