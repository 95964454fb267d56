import type { ToolDefinition } from '../../chat/message.ts';
import type { ChatModel } from '../model/chat-model.ts';

/** Stands for the other tools, so that what a template writes once for all of them is not counted for each. */
const OTHER: ToolDefinition = {
  type: 'function',
  function: { name: 'other', parameters: { type: 'object', properties: {} } },
};

/** Tokens of tool definitions in a prompt, by the model's own template and tokenizer. */
export class ToolMeter {
  readonly #count: (tools: readonly ToolDefinition[]) => number;
  readonly #known = new WeakMap<ToolDefinition, number>();
  #empty: number | undefined;
  #other: number | undefined;
  #once: number | undefined;
  #all: { readonly tools: readonly ToolDefinition[]; readonly tokens: number } | undefined;

  constructor(model: Pick<ChatModel, 'countTokens'>) {
    this.#count = tools => model.countTokens({ messages: [{ role: 'user', content: '' }], tools });
  }

  /** What one more tool adds to a prompt that has tools. */
  one(tool: ToolDefinition): number {
    const known = this.#known.get(tool);
    if (known !== undefined) return known;
    this.#other ??= this.#count([OTHER]);
    const tokens = Math.max(0, this.#count([OTHER, tool]) - this.#other);
    this.#known.set(tool, tokens);
    return tokens;
  }

  /** What a template writes once, whatever the tools are. */
  get once(): number {
    this.#once ??= Math.max(0, this.all([OTHER]) - this.one(OTHER));
    return this.#once;
  }

  /** What these tools, with the template's own words on tools, add to a prompt. */
  all(tools: readonly ToolDefinition[]): number {
    const known = this.#all;
    if (known !== undefined && sameTools(known.tools, tools)) return known.tokens;
    this.#empty ??= this.#count([]);
    const tokens = tools.length === 0 ? 0 : Math.max(0, this.#count(tools) - this.#empty);
    this.#all = { tools, tokens };
    return tokens;
  }
}

function sameTools(a: readonly ToolDefinition[], b: readonly ToolDefinition[]): boolean {
  return a.length === b.length && a.every((tool, index) => tool === b[index]);
}
