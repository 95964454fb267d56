import { isObject } from '../bodies/json-body.ts';

/** The offered tools by name. */
export class ToolCatalog {
  readonly #parameters = new Map<string, Readonly<Record<string, unknown>>>();
  readonly #spellings = new Map<string, string | undefined>();

  /** Tools in the shape of the OpenAI API, with or without the outer `function`; others are ignored. */
  constructor(tools: readonly object[] = []) {
    for (const tool of tools) {
      const inner = (tool as { function?: unknown }).function ?? tool;
      if (!isObject(inner) || typeof inner.name !== 'string') continue;
      this.#parameters.set(inner.name, isObject(inner.parameters) ? inner.parameters : {});
      const key = plainName(inner.name);
      // Two tools with the same spelling: it means neither.
      this.#spellings.set(key, this.#spellings.has(key) ? undefined : inner.name);
    }
  }

  get size(): number {
    return this.#parameters.size;
  }

  get names(): string[] {
    return [...this.#parameters.keys()];
  }

  /** The tool a model means by `name`: an exact match, or up to case, punctuation and a namespace prefix. */
  match(name: string): string | undefined {
    if (this.#parameters.has(name)) return name;
    const inner = name.replace(/^(?:functions?|tools?|default_api)[.:/]/i, '').replace(/:\d+$/, '');
    if (this.#parameters.has(inner)) return inner;
    return this.#spellings.get(plainName(inner));
  }

  knows(name: string): boolean {
    return this.match(name) !== undefined;
  }

  /** The JSON Schema of a tool's arguments. */
  parametersOf(name: string): Readonly<Record<string, unknown>> | undefined {
    const match = this.match(name);
    return match === undefined ? undefined : this.#parameters.get(match);
  }
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}
