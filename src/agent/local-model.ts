import { adaptConversation } from '../chat/adapt.ts';
import type { TemplateCapability } from '../chat/capability.ts';
import type { Message, ToolDefinition } from '../chat/message.ts';
import { type ChatTemplate, renderSegments } from '../chat/template.ts';
import type { Engine } from '../engine/engine.ts';
import { LlmHostError } from '../errors.ts';
import { createToolParser } from '../parse/create-tool-parser.ts';
import type { Tokenizer } from '../tokens/tokenizer-types.ts';
import type { ChatModel, ReplyEvent, ReplyRequest } from './chat-model.ts';
import type { ReplyStats } from './turn.ts';

export interface LocalModelParts {
  readonly engine: Engine;
  readonly tokenizer: Tokenizer;
  /** undefined: a base model; the last user message is completed as it stands. */
  readonly template:
    | { readonly compiled: ChatTemplate; readonly source: string; readonly capability: TemplateCapability }
    | undefined;
  /** One clock reading for the whole session, so that a template that prints the date stays a stable prefix. */
  readonly now: Date;
}

/** Chat over an engine in this process: messages -> template -> ids -> engine -> text -> parser. */
export class LocalChatModel implements ChatModel {
  readonly #parts: LocalModelParts;

  constructor(parts: LocalModelParts) {
    this.#parts = parts;
  }

  get contextLength(): number {
    return this.#parts.engine.info.contextLength;
  }

  countTokens(request: Pick<ReplyRequest, 'messages' | 'tools'>): number {
    return this.#encode(request.messages, request.tools).length;
  }

  async *reply(request: ReplyRequest): AsyncGenerator<ReplyEvent, ReplyStats> {
    const promptIds = this.#encode(request.messages, request.tools);
    if (promptIds.length >= this.contextLength) {
      throw new LlmHostError(
        'CONTEXT_FULL',
        `The prompt has ${promptIds.length} tokens, but the context holds ${this.contextLength}`,
        {
          hint: 'Shorten the prompt, type "clear" to start over, or raise --context.',
        },
      );
    }
    const parser = createToolParser({ template: this.#parts.template?.source ?? '', tools: request.tools });
    const waiting: ReplyEvent[] = [];
    const tokens = this.#parts.engine.generate({
      promptIds,
      ...request.sampling,
      ...(request.signal && { signal: request.signal }),
      onPrefill: progress => waiting.push({ type: 'prefill', ...progress }),
    });
    while (true) {
      const step = await tokens.next();
      yield* waiting.splice(0);
      if (step.done) {
        yield* parser.end();
        const { timings, ...counts } = step.value;
        return { ...counts, ...timings };
      }
      yield* parser.push(step.value.text);
    }
  }

  #encode(messages: readonly Message[], tools: readonly ToolDefinition[]): number[] {
    const { template, tokenizer, now } = this.#parts;
    if (!template) return tokenizer.encode(lastUserText(messages));
    const adapted = adaptConversation(messages, tools, template.capability);
    const segments = renderSegments(template.compiled, {
      messages: adapted.messages,
      tools: adapted.tools,
      addGenerationPrompt: true,
      bosToken: tokenizer.bosToken,
      eosToken: tokenizer.eosToken,
      now,
    });
    return tokenizer.encodeSegments(segments);
  }
}

function lastUserText(messages: readonly Message[]): string {
  return messages.findLast(message => message.role === 'user')?.content ?? '';
}
