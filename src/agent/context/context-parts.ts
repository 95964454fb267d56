import type { Message, ToolDefinition } from '../../chat/message.ts';
import { LlmHostError } from '../../errors.ts';
import type { ChatModel } from '../model/chat-model.ts';

/** The parts of a prompt, in tokens. */
export interface ContextParts {
  readonly total: number;
  readonly system: number;
  /** The tools' definitions. */
  readonly tools: number;
  /** The summary of the oldest turns. */
  readonly summary: number;
  /** Results of tools. */
  readonly results: number;
  /** All that is left: prompts, replies, calls, the template's own text. */
  readonly conversation: number;
}

export interface ContextRequest {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly thinking?: boolean | undefined;
  /** Whether the first turn is a summary. */
  readonly summarized?: boolean;
}

const NAMES = {
  tools: "the tools' definitions",
  results: "tools' results",
  conversation: 'the conversation',
  summary: 'its summary',
  system: 'the system prompt',
} as const;

type Part = keyof typeof NAMES;
type Measuring = Pick<ChatModel, 'countTokens' | 'contextLength'>;

const HINTS: Readonly<Record<Part, string>> = {
  tools: 'Offer fewer tools (--tools, tools.allowed in config.json, /mcp disable), or raise --context.',
  results: 'Ask for less at a time, lower tools.maxResultChars in config.json, or raise --context.',
  conversation: 'Shorten the prompt, type "clear" to start over, or raise --context.',
  summary: 'Type "clear" to start over, or raise --context.',
  system: 'Shorten the system prompt, or raise --context.',
};

/** Beyond this many contexts tokens are estimates, and parts are estimated by their characters: once is slow enough. */
const EXACT_CONTEXTS = 4;

/** Measures the parts by what the prompt is without each. */
export function contextParts(
  model: Measuring,
  { messages: spoken, tools, thinking, summarized = false }: ContextRequest,
): ContextParts {
  // Templates want a user message.
  const asked = spoken.some(({ role }) => role === 'user');
  const messages: readonly Message[] = asked ? spoken : [...spoken, { role: 'user', content: '' }];
  const count = (list: readonly Message[], offered: readonly ToolDefinition[]) =>
    model.countTokens({ messages: list, tools: offered, thinking });
  const summaryAt = summarized ? messages.findIndex(({ role }) => role === 'user') : -1;
  const total = count(messages, tools);
  if (total > EXACT_CONTEXTS * model.contextLength) return byCharacters(total, messages, tools, summaryAt);
  const bare = count(messages, []);
  const without = (leftOut: (message: Message, index: number) => boolean): number => {
    if (!messages.some(leftOut)) return 0;
    const emptied = messages.map((one, index) => (leftOut(one, index) ? { ...one, content: '' } : one));
    return Math.max(0, bare - count(emptied, []));
  };
  const system = without(({ role }) => role === 'system');
  const summary = without((_, index) => index === summaryAt);
  const results = without(({ role }) => role === 'tool');
  const definitions = Math.max(0, total - bare);
  const conversation = Math.max(0, total - definitions - system - summary - results);
  return { total, system, tools: definitions, summary, results, conversation };
}

function byCharacters(
  total: number,
  messages: readonly Message[],
  tools: readonly ToolDefinition[],
  summaryAt: number,
): ContextParts {
  const chars = { system: 0, tools: JSON.stringify(tools).length, summary: 0, results: 0, conversation: 0 };
  messages.forEach(({ role, content }, index) => {
    const part = role === 'tool' ? 'results' : role === 'system' ? 'system' : 'conversation';
    chars[index === summaryAt ? 'summary' : part] += content.length;
  });
  const all = Object.values(chars).reduce((sum, one) => sum + one, 0);
  const estimate = (part: Part) => Number(((chars[part] * total) / all).toPrecision(2));
  const parts = Object.fromEntries((Object.keys(NAMES) as Part[]).map(part => [part, estimate(part)]));
  return { total, ...(parts as Record<Part, number>) };
}

/** `the tools' definitions 1810, the conversation 112`: the largest first. */
export function partsText(parts: ContextParts): string {
  return bySize(parts)
    .map(part => `${NAMES[part]} ${parts[part]}`)
    .join(', ');
}

/** Advice about a context that is full. */
export function partsHint(parts: ContextParts): string {
  return HINTS[bySize(parts)[0] ?? 'conversation'];
}

/** A CONTEXT_FULL that says what takes the room; any other error as it is. */
export function explainFull(error: unknown, model: Measuring, request: ContextRequest): unknown {
  if (!(error instanceof LlmHostError) || error.code !== 'CONTEXT_FULL') return error;
  const parts = contextParts(model, request);
  return new LlmHostError('CONTEXT_FULL', `${error.message}: ${partsText(parts)}`, {
    hint: partsHint(parts),
    cause: error,
  });
}

function bySize(parts: ContextParts): Part[] {
  const present = (Object.keys(NAMES) as Part[]).filter(part => parts[part] > 0);
  return present.sort((a, b) => parts[b] - parts[a]);
}
