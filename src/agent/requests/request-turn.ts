import { randomBytes } from 'node:crypto';
import { createHistory, type History, type HistoryMark } from '../../chat/history.ts';
import type { Message, ToolCall, ToolDefinition } from '../../chat/message.ts';
import type { ResponseFormat } from '../../grammar/response-format.ts';
import type { HostTool, ToolHost } from '../../mcp/tool-host.ts';
import type { Sampling } from '../../text/sampling/fields.ts';
import type { CallApprover } from '../calls/run-tools.ts';
import { contextParts, partsText } from '../context/context-parts.ts';
import type { TurnEvent } from '../events/turn-event.ts';
import type { ChatModel, ToolChoice } from '../model/chat-model.ts';
import { ToolOffer, type ToolOfferOptions } from '../offer/tool-offer.ts';
import { type KeptReading, nothingKept } from '../results/kept-reading.ts';
import type { TurnOptions } from '../turn/agent-options.ts';
import { Conversation } from '../turn/conversation.ts';
import { formatInstruction } from '../turn/formatted-turn.ts';
import { type Acquire, requestModel } from './request-model.ts';
import type { ServerSideRounds } from './server-side-rounds.ts';

/** One request of a client: the whole conversation, and what to do with it. */
export interface TurnRequest {
  readonly messages: readonly Message[];
  /** The client's own tools; calls of them go back to it. */
  readonly tools: readonly ToolDefinition[];
  /** Names of tools that `messages` define: not listed in the prompt. Default: none. */
  readonly deferred?: ReadonlySet<string>;
  /** `none`: no tools at all, not even ours. */
  readonly toolChoice: ToolChoice | 'none';
  /** Overrides the server's defaults. */
  readonly sampling: Sampling;
  readonly logprobs?: number | undefined;
  readonly thinking?: boolean | undefined;
  /** Tokens of thoughts, over all replies of the request. */
  readonly thinkingBudget?: number | undefined;
  /** At most one call in each reply. */
  readonly singleCall?: boolean | undefined;
  readonly responseFormat?: ResponseFormat | undefined;
  readonly overflow: 'trim' | 'stop';
  /** Which of several replies to the same request, from 0 on. Default 0. */
  readonly choice?: number;
  /** Whether our tools join the client's. */
  readonly ours: boolean;
}

/** How a turn gets the engine, and what ends it early. */
export interface TurnControl {
  readonly acquire: Acquire;
  readonly signal: AbortSignal;
  /** Who is asked about calls that need approval; undefined: nobody. */
  readonly approver?: CallApprover | undefined;
}

export interface RequestTurnOptions
  extends Pick<
    TurnOptions,
    | 'sampling'
    | 'toolTimeoutMs'
    | 'toolBudget'
    | 'pinnedTools'
    | 'maxResultChars'
    | 'retry'
    | 'constrain'
    | 'onAttempt'
  > {
  readonly model: ChatModel;
  readonly tools: ToolHost;
  /** For conversations without a system message of their own. */
  readonly systemMessage: string;
}

/** A request with its conversation and tools put together: first its prompt is counted, then it runs, once. */
export class RequestTurn {
  readonly #options: RequestTurnOptions;
  readonly #request: TurnRequest;
  readonly #rounds: ServerSideRounds;
  readonly #history: History = createHistory();
  /** Results of our tools that can be read on. */
  readonly #kept = nothingKept();
  readonly #mark: HistoryMark;
  readonly #offered: readonly HostTool[];
  readonly #offer: ToolOffer;

  constructor(
    options: RequestTurnOptions,
    request: TurnRequest,
    rounds: ServerSideRounds,
    shared?: ToolOfferOptions['shared'],
  ) {
    this.#options = options;
    this.#request = request;
    this.#rounds = rounds;
    const kept = readsOn(request) ? this.#kept : nothingKept();
    this.#history.add(...conversation(request, options.systemMessage, rounds, kept));
    this.#mark = this.#history.mark();
    this.#offered = offeredTools(request, options.tools);
    const { model, toolBudget: budget, pinnedTools: pinned } = options;
    // A client's own, and the one that it demands.
    const named = typeof request.toolChoice === 'object' ? [request.toolChoice.name] : [];
    const always = new Set([...request.tools.map(tool => tool.function.name), ...named]);
    const { deferred } = request;
    this.#offer = new ToolOffer({ model, budget, pinned, always, deferred, shared });
  }

  /** Tokens of the first prompt, which the model keeps for `run`. @throws LlmHostError TEMPLATE */
  countTokens(): number {
    const { thinking } = this.#request;
    const { tools, listed, messages } = this.#offer.next(this.#offered, this.#history.messages);
    return this.#options.model.countTokens({
      messages,
      listed,
      tools: tools.map(tool => tool.definition),
      thinking,
    });
  }

  /** The parts of the first prompt with their tokens, the largest first. */
  whatTakesRoom(): string {
    const tools = this.#offered.map(tool => tool.definition);
    const { thinking } = this.#request;
    return partsText(
      contextParts(this.#options.model, { messages: this.#history.messages, tools, thinking }),
    );
  }

  /** Returns the calls that are the client's to run. A failure is the last event, an abort ends the stream early. */
  async *run({ acquire, signal, approver }: TurnControl): AsyncGenerator<TurnEvent, readonly ToolCall[]> {
    const turn = this.#conversation(acquire, approver).respond(signal, this.#request.responseFormat);
    let said = '';
    for (let step = await turn.next(); ; step = await turn.next()) {
      if (step.done) {
        this.#rememberRounds(said, step.value);
        return step.value;
      }
      if (step.value.type === 'assistant') said = step.value.text;
      yield step.value;
    }
  }

  #conversation(acquire: Acquire, approver: CallApprover | undefined): Conversation {
    const { model, tools, sampling, toolTimeoutMs, maxResultChars, retry, constrain, onAttempt } =
      this.#options;
    const { logprobs, thinking, thinkingBudget, singleCall, toolChoice, overflow, choice, ...request } =
      this.#request;
    const merged = choiceSampling({ ...sampling, ...request.sampling }, choice);
    return new Conversation({
      model: requestModel(model, { acquire, thinkingBudget, maxTokens: merged.maxTokens }),
      tools: offering(tools, this.#offered),
      history: this.#history,
      offer: this.#offer,
      kept: this.#kept,
      sampling: merged,
      toolTimeoutMs,
      overflow,
      newCallId,
      approver,
      awaitTasks: true,
      maxResultChars,
      retry,
      constrain,
      onAttempt,
      handOver: new Set(request.tools.map(tool => tool.function.name)),
      reply: {
        logprobs,
        thinking,
        singleCall,
        toolChoice: toolChoice === 'none' ? undefined : toolChoice,
      },
    });
  }

  #rememberRounds(said: string, calls: readonly ToolCall[]): void {
    const added = this.#history.messages.slice(this.#mark);
    if (added.length <= 1) return;
    const reply: Message = {
      role: 'assistant',
      content: said,
      ...(calls.length > 0 && { tool_calls: calls }),
    };
    this.#rounds.remember([...this.#request.messages, reply], added, this.#kept);
  }
}

const SEEDS = 2 ** 32;

/** For one of several replies to the same request: with a seed, the next one for each. */
export function choiceSampling(sampling: Sampling, choice = 0): Sampling {
  const { seed } = sampling;
  return seed === undefined || choice === 0 ? sampling : { ...sampling, seed: (seed + choice) % SEEDS };
}

/** The client's messages with the server-side rounds back in place, under a system message with ours in it. */
function conversation(
  { messages, responseFormat }: TurnRequest,
  systemMessage: string,
  rounds: ServerSideRounds,
  kept: KeptReading,
): readonly Message[] {
  const restored = rounds.restore(messages, kept);
  const [first, ...rest] = restored;
  const own = first?.role === 'system' ? first.content : systemMessage;
  const system = [own, responseFormat ? formatInstruction(responseFormat) : ''].filter(Boolean).join('\n\n');
  const others = first?.role === 'system' ? rest : restored;
  return system === '' ? others : [{ role: 'system', content: system }, ...others];
}

/** Whether the model may read on in what our tools have said before: that takes tools of ours. */
function readsOn({ ours, toolChoice }: TurnRequest): boolean {
  return ours && (toolChoice === 'auto' || toolChoice === 'required');
}

/** A tool of the client hides one of ours with the same name. */
function offeredTools({ tools, toolChoice, ours }: TurnRequest, host: ToolHost): HostTool[] {
  if (toolChoice === 'none') return [];
  const names = new Set(tools.map(tool => tool.function.name));
  const all = [
    ...tools.map(definition => ({
      definition,
      server: 'client',
      tool: definition.function.name,
      readOnly: false,
    })),
    ...(ours ? host.tools() : []).filter(tool => !names.has(tool.definition.function.name)),
  ];
  if (typeof toolChoice === 'string') return all;
  return all.filter(tool => tool.definition.function.name === toolChoice.name);
}

function newCallId(): string {
  return `call_${randomBytes(12).toString('hex')}`;
}

/** A host with the same servers and a fixed list of tools. */
function offering(host: ToolHost, tools: readonly HostTool[]): ToolHost {
  const readResource = host.readResource?.bind(host);
  return {
    tools: () => tools,
    servers: () => host.servers(),
    refreshStale: () => host.refreshStale?.(),
    call: (name, args, options) => host.call(name, args, options),
    close: () => Promise.resolve(),
    ...(readResource && { readResource }),
  };
}
