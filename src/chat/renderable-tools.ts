import { typesOf } from '../parse/json/schema-types.ts';
import { isPlainObject } from '../text/json/plain-object.ts';
import type { ToolDefinition } from './message.ts';
import type { ChatTemplate, RenderOptions } from './template.ts';
import { tryRender } from './try-render.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Tools that are not looked at by then stay as they are: a hostile template takes its time over each. */
const LIMIT_MS = 2000;
const MAX_DEPTH = 32;

/**
 * Definitions of tools as one template can render them. Some fail on what servers may leave out or JSON Schema allows: a
 * tool without a description (gpt-oss), an argument of two types (Hermes 2 Pro). Such a tool is told in simpler words, so that
 * no prompt fails for it; its calls are checked by its own schema.
 */
export class RenderableTools {
  readonly #template: ChatTemplate;
  readonly #tokens: Pick<RenderOptions, 'bosToken' | 'eosToken'>;
  readonly #known = new WeakMap<ToolDefinition, ToolDefinition>();

  constructor(template: ChatTemplate, tokens: Pick<RenderOptions, 'bosToken' | 'eosToken'>) {
    this.#template = template;
    this.#tokens = tokens;
  }

  /** The definitions for a prompt, as far as is known by now. */
  of(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
    return tools.map(tool => this.#known.get(tool) ?? tool);
  }

  /** After a prompt has failed: looks for the tools that it fails on. False: there is none that could be told otherwise. */
  learn(tools: readonly ToolDefinition[]): boolean {
    const until = performance.now() + LIMIT_MS;
    let learned = false;
    for (const tool of tools) {
      if (this.#known.has(tool)) continue;
      if (performance.now() > until) break;
      const forms = [tool, described(tool), simple(tool)];
      const form = forms.find(one => this.#renders(one)) ?? tool;
      this.#known.set(tool, form);
      learned ||= form !== tool;
    }
    return learned;
  }

  #renders(tool: ToolDefinition): boolean {
    const messages = [{ role: 'user', content: 'Hello' }];
    return tryRender(this.#template, { ...this.#tokens, messages, tools: [tool] }) !== undefined;
  }
}

/** With a description of the tool and of each argument, be it an empty one. */
function described({ function: tool }: ToolDefinition): ToolDefinition {
  const { description = '', parameters } = tool;
  return {
    type: 'function',
    function: { ...tool, description, parameters: withDescriptions(parameters, 0) },
  };
}

function withDescriptions(schema: Schema, depth: number): Schema {
  const { properties } = schema;
  if (!isPlainObject(properties) || depth > MAX_DEPTH) return schema;
  const parts = Object.entries(properties).map(([name, part]) => {
    const own: Schema = isPlainObject(part) ? part : {};
    const description = typeof own.description === 'string' ? own.description : '';
    return [name, { ...withDescriptions(own, depth + 1), description }];
  });
  return { ...schema, properties: Object.fromEntries(parts) };
}

/** Only the arguments themselves, each of one type. */
function simple({ function: tool }: ToolDefinition): ToolDefinition {
  const { name, description = '', parameters } = tool;
  const { properties, required } = parameters;
  const parts = Object.entries(isPlainObject(properties) ? properties : {}).map(
    ([key, part]) => [key, simplePart(part, parameters)] as const,
  );
  return {
    type: 'function',
    function: {
      name,
      description,
      parameters: {
        type: 'object',
        properties: Object.fromEntries(parts),
        ...(Array.isArray(required) && { required }),
      },
    },
  };
}

function simplePart(part: unknown, root: Schema): Schema {
  const schema: Schema = isPlainObject(part) ? part : {};
  const type = typeIn(schema, root);
  return {
    type,
    description: typeof schema.description === 'string' ? schema.description : '',
    ...(type === 'string' && Array.isArray(schema.enum) && { enum: schema.enum.filter(isText) }),
    ...(type === 'array' && { items: { type: typeIn(schema.items, root) } }),
    ...(type === 'object' && { additionalProperties: { type: 'string' } }),
  };
}

function typeIn(schema: unknown, root: Schema): string {
  return [...typesOf(schema, root)].find(type => type !== 'null') ?? 'string';
}

const isText = (value: unknown): boolean => typeof value === 'string';
