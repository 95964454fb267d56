import { adaptConversation } from '../chat/adapt.ts';
import type { TemplateCapability } from '../chat/capability.ts';
import type { Message, ToolDefinition } from '../chat/message.ts';
import { type ChatTemplate, renderSegments } from '../chat/template.ts';
import { type ThinkingSetting, withThinkingWord } from '../chat/thinking-switch.ts';
import type { Engine, GenerateResult } from '../engine/engine.ts';
import { LlmHostError } from '../errors.ts';
import type { ToolCallChoice } from '../parse/choose-tool-calls.ts';
import { createToolParser } from '../parse/create-tool-parser.ts';
import type { ChatFormat } from '../parse/formats/format.ts';
import { hermes } from '../parse/formats/hermes.ts';
import type { PromptStyle } from '../parse/formats/prompt-style.ts';
import { formatOfTemplate } from '../parse/formats/table.ts';
import { StopStrings } from '../tokens/stop-strings.ts';
import type { PromptSegment, Tokenizer } from '../tokens/tokenizer-types.ts';
import type { ChatModel, ReplyEvent, ReplyRequest, ThinkingOutcome } from './chat-model.ts';
import { type PromptEncoder, promptCheckpoints, systemPrefix } from './prompt-checkpoints.ts';
import type { ReplyStats } from './turn.ts';

export type ToolProtocol = 'auto' | 'native' | 'prompt';

export interface LocalModelParts {
  readonly engine: Engine;
  readonly tokenizer: Tokenizer;
  /** undefined: a base model; the last user message is completed as it stands. */
  readonly template:
    | { readonly compiled: ChatTemplate; readonly source: string; readonly capability: TemplateCapability }
    | undefined;
  /** What goes before the marks in the template. */
  readonly toolCalls?: ToolCallChoice;
  /** `prompt`: tools and calls as text, even where the template has them; `native`: never. Default `auto`. */
  readonly toolProtocol?: ToolProtocol;
  /** Of tools and calls as text where the model has no form of its own. Default: generic. */
  readonly promptStyle?: PromptStyle;
  /** One clock reading for the whole session, so that a template that prints the date stays a stable prefix. */
  readonly now: Date;
}

/** Chat over an engine in this process: messages -> template -> ids -> engine -> text -> parser. */
export class LocalChatModel implements ChatModel {
  readonly #parts: LocalModelParts;
  /** The prompt whose length was asked for, as it is just before its reply. */
  #last: Prompt | undefined;
  /** What prompts with the system message and the tools of `key` begin with. */
  #system: { readonly key: string; readonly ids: readonly number[] } | undefined;

  #thinking: ThinkingSetting = { variables: {} };

  constructor(parts: LocalModelParts) {
    this.#parts = parts;
  }

  get name(): string {
    return this.#parts.engine.info.name;
  }

  /** The model's own tool-call format; undefined: it is asked for the prompt protocol's. */
  get #format(): ChatFormat | undefined {
    if (this.#parts.toolProtocol === 'prompt') return undefined;
    return this.#parts.toolCalls?.format ?? formatOfTemplate(this.#parts.template?.source ?? '');
  }

  get #style(): PromptStyle {
    return this.#parts.promptStyle ?? hermes;
  }

  /** What the template is used for. */
  #capability(can: TemplateCapability): TemplateCapability {
    const { toolProtocol } = this.#parts;
    if (toolProtocol === 'prompt') return { ...can, rendersTools: false, rendersCalls: false };
    return toolProtocol === 'native' ? { ...can, rendersTools: true } : can;
  }

  writeCall(name: string, args: Readonly<Record<string, unknown>>): string {
    return (this.#format ?? this.#style).writeCalls([{ name, arguments: args }]);
  }

  setThinking(on: boolean): ThinkingOutcome {
    const found = this.#parts.template?.capability.thinking;
    if (!found) return 'none';
    this.#thinking = on ? found.on : found.off;
    this.#last = undefined;
    this.#system = undefined;
    return on || found.stops ? 'done' : 'less';
  }

  get contextLength(): number {
    return this.#parts.engine.info.contextLength;
  }

  countTokens(request: Pick<ReplyRequest, 'messages' | 'tools'>): number {
    return this.#prompt(request.messages, request.tools).ids.length;
  }

  async *reply(request: ReplyRequest): AsyncGenerator<ReplyEvent, ReplyStats> {
    const prompt = this.#prompt(request.messages, request.tools);
    const { ids: promptIds, segments } = prompt;
    // Kept for one reply only: a caller may change its own list afterwards.
    this.#last = undefined;
    if (promptIds.length >= this.contextLength) throw contextFull(promptIds.length, this.contextLength);
    const parser = createToolParser({
      template: this.#parts.template?.source ?? '',
      ...this.#parserChoice(),
      tools: request.tools,
      prompt: segments.at(-1)?.text ?? '',
    });
    const { stop = [], ...sampling } = request.sampling;
    const stops = new StopStrings(stop);
    const stopped = new AbortController();
    const signals = request.signal ? [request.signal, stopped.signal] : [stopped.signal];
    const waiting: ReplyEvent[] = [];
    const tokens = this.#parts.engine.generate({
      promptIds,
      ...this.#checkpoints(prompt),
      ...sampling,
      signal: AbortSignal.any(signals),
      onPrefill: progress => waiting.push({ type: 'prefill', ...progress }),
    });
    while (true) {
      const step = await tokens.next();
      yield* waiting.splice(0);
      if (step.done) {
        yield* parser.push(stops.end());
        // Only a reply that the model ended itself may have its last call completed.
        yield* parser.end({ finished: step.value.finishReason === 'stop' });
        return toStats(step.value, stopped.signal.aborted && request.signal?.aborted !== true);
      }
      const { text, stopped: match } = stops.push(step.value.text);
      if (match !== undefined) stopped.abort();
      yield* parser.push(text);
    }
  }

  #parserChoice(): ToolCallChoice {
    const { toolCalls, toolProtocol } = this.#parts;
    if (toolProtocol !== 'prompt' && toolCalls?.responseTemplate) return toolCalls;
    return { format: this.#format ?? this.#style };
  }

  /** Where a model that cannot go back to any token keeps its state. */
  #checkpoints({ messages, tools, ...prompt }: Prompt): { checkpoints?: readonly number[] } {
    const { engine, template, tokenizer } = this.#parts;
    if (!engine.info.wantsCheckpoints || !template) return {};
    const encoder: PromptEncoder = {
      render: (messages, tools) => this.#render(messages, tools),
      encode: segments => tokenizer.encodeSegments(segments),
    };
    const key = JSON.stringify([messages[0]?.role === 'system' ? messages[0].content : '', tools]);
    if (this.#system?.key !== key) this.#system = { key, ids: systemPrefix(messages, tools, encoder) };
    return { checkpoints: promptCheckpoints(prompt, this.#system.ids, encoder) };
  }

  #render(messages: readonly Message[], tools: readonly ToolDefinition[]): readonly PromptSegment[] {
    const { template, tokenizer, now } = this.#parts;
    if (!template) return [{ text: lastUserText(messages), special: false }];
    const asked = withThinkingWord(messages, this.#thinking);
    const adapted = adaptConversation(
      asked,
      tools,
      this.#capability(template.capability),
      this.#format,
      this.#style,
    );
    return renderSegments(template.compiled, {
      ...this.#thinking.variables,
      messages: adapted.messages,
      tools: adapted.tools,
      addGenerationPrompt: true,
      bosToken: tokenizer.bosToken,
      eosToken: tokenizer.eosToken,
      now,
    });
  }

  #prompt(messages: readonly Message[], tools: readonly ToolDefinition[]): Prompt {
    if (this.#last?.messages === messages && this.#last.tools === tools) return this.#last;
    const segments = this.#render(messages, tools);
    const ids = this.#parts.tokenizer.encodeSegments(segments);
    this.#last = { messages, tools, ids, segments };
    return this.#last;
  }
}

interface Prompt {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly ids: readonly number[];
  readonly segments: readonly PromptSegment[];
}

function contextFull(tokens: number, contextLength: number): LlmHostError {
  return new LlmHostError(
    'CONTEXT_FULL',
    `The prompt has ${tokens} tokens, but the context holds ${contextLength}`,
    {
      hint: 'Shorten the prompt, type "clear" to start over, or raise --context.',
    },
  );
}

/** A reply that we cut at a stop string came to its end; the engine calls that cancelled. */
function toStats({ timings, ...counts }: GenerateResult, atStopString: boolean): ReplyStats {
  return { ...counts, ...timings, ...(atStopString && { finishReason: 'stop' as const }) };
}

function lastUserText(messages: readonly Message[]): string {
  return messages.findLast(message => message.role === 'user')?.content ?? '';
}
