import { adaptConversation } from '../../chat/adapt.ts';
import type { TemplateCapability } from '../../chat/capability.ts';
import type { Message } from '../../chat/message.ts';
import { type ChatTemplate, renderSegments } from '../../chat/template.ts';
import { type ThinkingSetting, withThinkingWord } from '../../chat/thinking-switch.ts';
import type { Engine, GenerateRequest, GenerateResult } from '../../engine/engine.ts';
import { LlmHostError } from '../../errors.ts';
import type { GrammarEngine } from '../../grammar/grammar-engine.ts';
import { guidedGeneration } from '../../grammar/guided-generation.ts';
import type { Guide } from '../../grammar/guided-reply.ts';
import { canConstrain, replyGuide } from '../../grammar/reply-guide.ts';
import { createToolParser, endsInThinking } from '../../parse/create-tool-parser.ts';
import { hermes } from '../../parse/formats/hermes.ts';
import type { PromptStyle } from '../../parse/formats/prompt-style.ts';
import { formatOfTemplate } from '../../parse/formats/table.ts';
import type { ChatFormat } from '../../parse/types/format.ts';
import type { ToolParser } from '../../parse/types/parse-event.ts';
import type { ToolCallChoice } from '../../parse/types/tool-call-choice.ts';
import { StopStrings } from '../../tokens/stop-strings.ts';
import type { PromptSegment, Tokenizer } from '../../tokens/tokenizer-types.ts';
import { EventQueue } from '../calls/event-queue.ts';
import type { ReplyStats } from '../turn/turn-event.ts';
import type { ChatModel, PromptRequest, ReplyEvent, ReplyRequest, ThinkingOutcome } from './chat-model.ts';
import { ContentLogprobs } from './content-logprobs.ts';
import { forcedCall } from './forced-call.ts';
import { type PromptEncoder, promptCheckpoints, systemPrefix } from './prompt-checkpoints.ts';
import { PromptStyleChoice } from './prompt-style-choice.ts';

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
  /** Of tools and calls as text where the model has no form of its own; one to learn, or fixed. Default: generic. */
  readonly promptStyle?: PromptStyle | PromptStyleChoice;
  /** Holds replies to grammars; undefined: they are free. */
  readonly grammar?: GrammarEngine;
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
    const { promptStyle = hermes } = this.#parts;
    return promptStyle instanceof PromptStyleChoice ? promptStyle.style : promptStyle;
  }

  callSettled(worked: boolean): void {
    const { promptStyle } = this.#parts;
    // A form of the model's own is never at stake.
    if (this.#format || this.#parserChoice().responseTemplate) return;
    if (!(promptStyle instanceof PromptStyleChoice) || !promptStyle.settle(worked)) return;
    this.#last = undefined;
    this.#system = undefined;
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

  countTokens(request: PromptRequest): number {
    return this.#prompt(request).ids.length;
  }

  async *reply(request: ReplyRequest): AsyncGenerator<ReplyEvent, ReplyStats> {
    const prompt = this.#prompt(request);
    // Kept for one reply only: a caller may change its own list afterwards.
    this.#last = undefined;
    const forced = this.#forced(request, prompt);
    const promptIds = [...prompt.ids, ...this.#parts.tokenizer.encode(forced, { special: true })];
    if (promptIds.length >= this.contextLength) throw contextFull(promptIds.length, this.contextLength);
    const newParser = () => this.#parser(request, prompt);
    const parser = newParser();
    const { stop = [], ...sampling } = request.sampling;
    const stops = new StopStrings(stop);
    const stopped = new AbortController();
    const signals = request.signal ? [request.signal, stopped.signal] : [stopped.signal];
    const progress = new EventQueue<ReplyEvent>();
    const { engine } = this.#parts;
    const generation: GenerateRequest = {
      promptIds,
      ...(request.text === undefined && this.#checkpoints(prompt)),
      ...sampling,
      ...(request.logprobs !== undefined && { logprobs: request.logprobs }),
      signal: AbortSignal.any(signals),
      onPrefill: step => progress.push({ type: 'prefill', ...step }),
    };
    const guide = await this.#guide(request, forced, newParser);
    const tokens = guide ? guidedGeneration(engine, generation, guide) : engine.generate(generation);
    const listed = new ContentLogprobs(this.#parts.tokenizer);
    yield* parser.push(forced);
    try {
      while (true) {
        const step = yield* progress.during(tokens.next());
        if (step.done) {
          yield* listed.with(parser.push(stops.end()));
          // Only a reply that the model ended itself may have its last call completed.
          yield* listed.with(parser.end({ finished: step.value.finishReason === 'stop' }));
          return toStats(step.value, stopped.signal.aborted && request.signal?.aborted !== true);
        }
        const { text, stopped: match } = stops.push(step.value.text);
        if (match !== undefined) stopped.abort();
        listed.add(step.value);
        yield* listed.with(parser.push(text));
      }
    } finally {
      // A reader that leaves early ends the generation too.
      stopped.abort();
      await tokens.return?.(undefined as never);
    }
  }

  #parser({ tools, text }: ReplyRequest, { segments }: Prompt): ToolParser {
    if (text !== undefined) return PLAIN_TEXT;
    return createToolParser({
      template: this.#parts.template?.source ?? '',
      ...this.#parserChoice(),
      tools,
      prompt: segments.at(-1)?.text ?? '',
    });
  }

  /** What the reply is made to begin with; '' leaves it to the model. */
  #forced({ toolChoice, tools, text }: ReplyRequest, { segments }: Prompt): string {
    if (toolChoice === undefined || toolChoice === 'auto' || text !== undefined) return '';
    const { responseTemplate } = this.#parserChoice();
    const tail = segments.at(-1)?.text ?? '';
    // Inside a thought, or in a form that only the model's own template describes, nothing can be written for it.
    if (responseTemplate || endsInThinking(tail, this.#format ?? this.#style)) return '';
    return forcedCall(this.#format ?? this.#style, toolChoice, tools);
  }

  get canConstrain(): boolean {
    return this.#parts.grammar !== undefined && canConstrain(this.#layoutFormat);
  }

  /** The format by which calls are read, if it is one of the table. */
  get #layoutFormat(): ChatFormat | undefined {
    return this.#parserChoice().format;
  }

  get canFollowFormat(): boolean {
    return this.#parts.grammar !== undefined;
  }

  /** What the reply is held to, which begins with `begun`; undefined: nothing. */
  async #guide(
    { responseFormat, toolChoice = 'auto', ...request }: ReplyRequest,
    begun: string,
    newParser: () => ToolParser,
  ): Promise<Guide | undefined> {
    const { grammar, tokenizer } = this.#parts;
    if (responseFormat && !grammar) {
      throw new LlmHostError('MODEL_UNSUPPORTED', `${this.name} cannot be held to a response format`);
    }
    const chosen = typeof toolChoice === 'object' ? toolChoice.name : undefined;
    const tools = request.tools.filter(tool => chosen === undefined || tool.function.name === chosen);
    const asked = request.constrainCalls === true || toolChoice !== 'auto';
    const constrainCalls = asked && tools.length > 0 && request.text === undefined && this.canConstrain;
    if (!grammar || (!constrainCalls && !responseFormat)) return undefined;
    const format = this.#layoutFormat;
    return await replyGuide({
      ...{ grammar, tokenizer, format, tools, constrainCalls, responseFormat, begun, newParser },
    });
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
      render: (messages, tools) => this.#render({ messages, tools, thinking: prompt.thinking }),
      encode: segments => tokenizer.encodeSegments(segments),
    };
    const system = messages[0]?.role === 'system' ? messages[0].content : '';
    const key = JSON.stringify([system, tools, prompt.thinking]);
    if (this.#system?.key !== key) this.#system = { key, ids: systemPrefix(messages, tools, encoder) };
    return { checkpoints: promptCheckpoints(prompt, this.#system.ids, encoder) };
  }

  #render({ messages, tools, thinking, text }: PromptRequest): readonly PromptSegment[] {
    const { template, tokenizer, now } = this.#parts;
    if (text !== undefined) return this.#plainText(text);
    if (!template) return [{ text: lastUserText(messages), special: false }];
    const setting = this.#thinkingSetting(thinking);
    const asked = withThinkingWord(messages, setting);
    const adapted = adaptConversation(
      asked,
      tools,
      this.#capability(template.capability),
      this.#format,
      this.#style,
    );
    return renderSegments(template.compiled, {
      ...setting.variables,
      messages: adapted.messages,
      tools: adapted.tools,
      addGenerationPrompt: true,
      bosToken: tokenizer.bosToken,
      eosToken: tokenizer.eosToken,
      now,
    });
  }

  #thinkingSetting(thinking: boolean | undefined): ThinkingSetting {
    const found = this.#parts.template?.capability.thinking;
    if (thinking === undefined || !found) return this.#thinking;
    return thinking ? found.on : found.off;
  }

  /** As Hugging Face's tokenizers begin a text: with BOS where the model has one that templates write. */
  #plainText(text: string): PromptSegment[] {
    const { template, tokenizer } = this.#parts;
    const bos = tokenizer.bosToken;
    const startsWithBos = bos !== undefined && template?.source.includes('bos_token') === true;
    const plain = { text, special: false };
    return startsWithBos ? [{ text: bos, special: true }, plain] : [plain];
  }

  #prompt(request: PromptRequest): Prompt {
    const { messages, tools, thinking, text } = request;
    const last = this.#last;
    const same = last?.messages === messages && last.tools === tools && last.thinking === thinking;
    if (last && same && text === undefined) return last;
    const segments = this.#render(request);
    const ids = this.#parts.tokenizer.encodeSegments(segments);
    const prompt = { messages, tools, thinking, ids, segments };
    if (text === undefined) this.#last = prompt;
    return prompt;
  }
}

interface Prompt extends PromptRequest {
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

/** A parser for text that is nothing but text. */
const PLAIN_TEXT: ToolParser = {
  push: text => (text === '' ? [] : [{ type: 'content', text }]),
  end: () => [],
};
