import { isObject } from '../bodies/json-body.ts';
import { meantTools, type NamedTool, similarTools } from './meant-tools.ts';

interface Entry {
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly description: string;
  readonly server: string | undefined;
}

/** The offered tools by name. */
export class ToolCatalog {
  readonly #entries = new Map<string, Entry>();
  readonly #shown: readonly string[] | undefined;
  readonly #spellings = new Map<string, string | undefined>();

  /**
   * Tools in the shape of the OpenAI API, with or without the outer `function`; others are ignored.
   * @param serverOf the MCP server of a tool, by the name it is offered under
   * @param shown those that messages name. Default: all
   */
  constructor(
    tools: readonly object[] = [],
    serverOf?: (name: string) => string | undefined,
    shown?: readonly string[],
  ) {
    this.#shown = shown;
    for (const tool of tools) {
      const inner = (tool as { function?: unknown }).function ?? tool;
      if (!isObject(inner) || typeof inner.name !== 'string') continue;
      this.#entries.set(inner.name, {
        parameters: isObject(inner.parameters) ? inner.parameters : {},
        description: typeof inner.description === 'string' ? inner.description : '',
        server: serverOf?.(inner.name),
      });
      const key = plainName(inner.name);
      // Two tools with the same spelling: it means neither.
      this.#spellings.set(key, this.#spellings.has(key) ? undefined : inner.name);
    }
  }

  get size(): number {
    return this.#entries.size;
  }

  get names(): string[] {
    return [...this.#entries.keys()];
  }

  /** The names that a message about a tool may list. */
  get shown(): readonly string[] {
    return this.#shown ?? this.names;
  }

  /** The tool a model means by `name`: an exact match, or up to case, punctuation and a namespace prefix. */
  match(name: string): string | undefined {
    const inner = withoutNamespace(name);
    for (const exact of [name, inner]) if (this.#entries.has(exact)) return exact;
    return this.#spellings.get(plainName(inner));
  }

  /** The tools that `name` may mean where `match` finds none; see `meantTools`. */
  meant(name: string): string[] {
    return meantTools(withoutNamespace(name), this.#named());
  }

  /** The tools to ask about where `meant` finds none; see `similarTools`. */
  similar(name: string): string[] {
    return similarTools(withoutNamespace(name), this.#named());
  }

  /** The tool that a text names, if there is only one; a name within a longer one does not count. */
  namedIn(text: string): string | undefined {
    const found = this.names.filter(name => text.includes(name));
    const longest = found.filter(name => !found.some(other => other !== name && other.includes(name)));
    return longest.length === 1 ? longest[0] : undefined;
  }

  /** Whether a call of this name is meant for a tool. */
  knows(name: string): boolean {
    return this.match(name) !== undefined || this.meant(name).length > 0;
  }

  /** The JSON Schema of a tool's arguments. */
  parametersOf(name: string): Readonly<Record<string, unknown>> | undefined {
    const match = this.match(name);
    return match === undefined ? undefined : this.#entries.get(match)?.parameters;
  }

  /** The first line of what a tool says of itself; '' without one. */
  summaryOf(name: string): string {
    const [line = ''] = (this.#entries.get(name)?.description ?? '').trim().split('\n', 1);
    return line;
  }

  #named(): NamedTool[] {
    return [...this.#entries].map(([name, { server }]) => ({ name, server }));
  }
}

function withoutNamespace(name: string): string {
  return name.replace(/^(?:functions?|tools?|default_api)[.:/]/i, '').replace(/:\d+$/, '');
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}
