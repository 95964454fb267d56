import type { ToolDefinition } from '../../chat/message.ts';
import type { ChatModel } from '../model/chat-model.ts';

/** Share of the context for the definitions of tools. */
const CONTEXT_SHARE = 0.15;

/**
 * The tools that models of a size are expected to choose well from, by parameters below `under`: tokens of definitions, and tools
 * that are offered only since they fit the prompt. Measured for the first alone: with 22 tools it called the right one in 18
 * of 50 questions, with 8 in 25.
 */
const COPES_WITH: readonly { readonly under: number; readonly tokens: number; readonly tools: number }[] = [
  { under: 1e9, tokens: 1500, tools: 12 },
  { under: 5e9, tokens: 4000, tools: Number.POSITIVE_INFINITY },
  { under: 20e9, tokens: 10_000, tools: Number.POSITIVE_INFINITY },
];

interface Sized {
  readonly contextLength: number;
  /** 0 or undefined: not known. */
  readonly parameters?: number | undefined;
}

/**
 * Tokens of definitions that a model is offered at once: `configured` (0: no limit), else 15 % of the context, or what
 * models of this size cope with if that is less.
 */
export function toolBudget(configured: number | undefined, model: Sized): number {
  if (configured !== undefined) return configured === 0 ? Number.POSITIVE_INFINITY : configured;
  const share = Math.floor(model.contextLength * CONTEXT_SHARE);
  return Math.min(share, copesWith(model)?.tokens ?? share);
}

/** Tools that are offered only since they fit a prompt; a configured budget is in tokens alone. */
export function mostTools(configured: number | undefined, model: Sized): number {
  return (configured === undefined ? copesWith(model)?.tools : undefined) ?? Number.POSITIVE_INFINITY;
}

function copesWith({ parameters = 0 }: Sized): (typeof COPES_WITH)[number] | undefined {
  return parameters > 0 ? COPES_WITH.find(({ under }) => parameters < under) : undefined;
}

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

  /** Tokens that one more tool adds to a prompt that has tools. */
  one(tool: ToolDefinition): number {
    const known = this.#known.get(tool);
    if (known !== undefined) return known;
    this.#other ??= this.#count([OTHER]);
    const tokens = Math.max(0, this.#count([OTHER, tool]) - this.#other);
    this.#known.set(tool, tokens);
    return tokens;
  }

  /** Tokens that a template writes once, whatever the tools are. */
  get once(): number {
    this.#once ??= Math.max(0, this.all([OTHER]) - this.one(OTHER));
    return this.#once;
  }

  /** Tokens that these tools add to a prompt, with the template's own words on tools. */
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
