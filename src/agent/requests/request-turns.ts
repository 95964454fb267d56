import type { ToolCall, ToolDefinition } from '../../chat/message.ts';
import type { HostTool } from '../../mcp/tool-host.ts';
import { underApiNames } from '../../text/sampling/api-names.ts';
import { errorEvent, type TurnEvent } from '../events/turn-event.ts';
import type { ChatModel, ReplyRequest } from '../model/chat-model.ts';
import { ToolMeter } from '../offer/tool-budget.ts';
import { Rankings } from '../offer/tool-ranking.ts';
import { requestModel } from './request-model.ts';
import {
  choiceSampling,
  RequestTurn,
  type RequestTurnOptions,
  type TurnControl,
  type TurnRequest,
} from './request-turn.ts';
import { ServerSideRounds } from './server-side-rounds.ts';

/** Text to continue, without template or tools. */
export type CompletionRequest = Pick<TurnRequest, 'sampling' | 'logprobs' | 'choice'> & {
  readonly text: string;
  /** The text as tokens, which are used as they are; `text` is empty then. */
  readonly textIds?: readonly number[];
};

/** Answers requests of clients, who send the whole conversation each time. */
export class RequestTurns {
  readonly #options: RequestTurnOptions;
  readonly #rounds = new ServerSideRounds();
  readonly #shared: { readonly meter: ToolMeter; readonly rankings: Rankings };

  constructor(options: RequestTurnOptions) {
    this.#options = options;
    this.#shared = { meter: new ToolMeter(options.model), rankings: new Rankings() };
  }

  /** Names of all tools that a request with these of its own has; `ours`: ours join them. */
  toolNames(own: readonly ToolDefinition[], ours: boolean): string[] {
    const joining = ours ? this.#options.tools.tools().map(tool => tool.definition) : [];
    return [...own, ...joining].map(tool => tool.function.name);
  }

  /** Ours that requests may have. */
  tools(): readonly HostTool[] {
    return this.#options.tools.tools();
  }

  /** The defaults, one per line, as in a Modelfile. */
  samplingText(): string {
    const listed = { ...underApiNames(this.#options.sampling, 'ollama'), num_ctx: this.contextLength };
    return Object.entries(listed)
      .flatMap(([name, value]) => [value].flat().map(one => `${name} ${JSON.stringify(one)}`))
      .join('\n');
  }

  get contextLength(): number {
    return this.#options.model.contextLength;
  }

  /** Whether `thinkingBudget` of a request is kept. */
  get limitsThinking(): boolean {
    return this.#options.model.limitsThinking === true;
  }

  /** The turn for a request; nothing runs yet. */
  open(request: TurnRequest): RequestTurn {
    return new RequestTurn(this.#options, request, this.#rounds, this.#shared);
  }

  /** Continues a text, as a turn without calls. */
  async *complete(
    { text, textIds, logprobs, choice, ...request }: CompletionRequest,
    { acquire, signal }: TurnControl,
  ): AsyncGenerator<TurnEvent, readonly ToolCall[]> {
    const sampling = choiceSampling({ ...this.#options.sampling, ...request.sampling }, choice);
    const model = requestModel(this.#options.model, { acquire });
    yield* completionTurn(model, { text, textIds, sampling, signal, logprobs });
    return [];
  }
}

/** Continues a text, without template or tools, as a turn. A failure is its last event. */
export async function* completionTurn(
  model: ChatModel,
  request: Pick<ReplyRequest, 'text' | 'textIds' | 'sampling' | 'logprobs' | 'signal'>,
): AsyncGenerator<TurnEvent> {
  const reply = model.reply({ messages: [], tools: [], ...request });
  let said = '';
  try {
    for (let step = await reply.next(); ; step = await reply.next()) {
      if (step.done) {
        const cancelled = step.value.finishReason === 'cancelled';
        yield { type: 'stats', stats: step.value };
        yield { type: 'assistant', text: said, cancelled };
        return;
      }
      if (step.value.type === 'prefill') yield step.value;
      if (step.value.type !== 'content') continue;
      said += step.value.text;
      yield { ...step.value, type: 'token' };
    }
  } catch (error) {
    yield errorEvent(error);
  }
}
