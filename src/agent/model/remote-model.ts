import type { ToolDefinition } from '../../chat/message.ts';
import type { PromptRequest, ThinkingOutcome } from './chat-model.ts';
import { checkToolSizes } from './tool-size.ts';

export interface RemoteModelParts {
  /** As its server lists it. */
  readonly name: string;
  /** Tokens. */
  readonly contextLength: number;
  readonly thinks: boolean;
}

/** An average over languages and tokenizers: these servers do not count tokens beforehand. */
const CHARS_PER_TOKEN = 3.5;
const MESSAGE_TOKENS = 8;

/** The common part of models in another process. */
export abstract class RemoteModel<Parts extends RemoteModelParts> {
  protected readonly parts: Parts;
  #thinking: boolean | undefined;

  constructor(parts: Parts) {
    this.parts = parts;
  }

  get name(): string {
    return this.parts.name;
  }

  get contextLength(): number {
    return this.parts.contextLength;
  }

  setThinking(on: boolean): ThinkingOutcome {
    if (!this.parts.thinks) return 'none';
    this.#thinking = on;
    return 'done';
  }

  /** The setting to send to the server; undefined: its template decides. */
  protected thinkingOf({ thinking }: PromptRequest): boolean | undefined {
    return this.parts.thinks ? (thinking ?? this.#thinking) : undefined;
  }

  /**
   * The tools at the head of the prompt; those that `messages` define are not sent a second time.
   * @throws LlmHostError USAGE for one that is too large
   */
  protected listedOf({ tools, listed = tools }: PromptRequest): readonly ToolDefinition[] {
    checkToolSizes(listed);
    return listed;
  }

  /** @param messages as they are sent */
  protected estimate(request: PromptRequest, messages: readonly object[]): number {
    if (request.text !== undefined) return Math.ceil(request.text.length / CHARS_PER_TOKEN);
    const chars = JSON.stringify(this.listedOf(request)).length + JSON.stringify(messages).length;
    return Math.ceil(chars / CHARS_PER_TOKEN) + messages.length * MESSAGE_TOKENS;
  }
}
