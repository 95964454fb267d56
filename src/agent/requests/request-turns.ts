import { randomBytes } from 'node:crypto';
import { createHistory } from '../../chat/history.ts';
import type { Message, ToolCall, ToolDefinition } from '../../chat/message.ts';
import { canFollow, type ResponseFormat } from '../../grammar/response-format.ts';
import { isCovered } from '../../grammar/schema-coverage.ts';
import type { HostTool, ToolHost } from '../../mcp/tool-host.ts';
import { Agent, type AgentOptions } from '../agent.ts';
import type { ChatModel, ReplyRequest, Sampling, ToolChoice } from '../model/chat-model.ts';
import { errorEvent, type ReplyStats, type TurnEvent } from '../turn/turn-event.ts';
import { HiddenRounds } from './hidden-rounds.ts';
import { type ReplyShape, shapedTurn, shapeInstruction } from './reply-shape.ts';

/** Waits for the engine; undefined once `signal` aborts. What is returned frees it. */
export type Acquire = (signal?: AbortSignal) => Promise<(() => void) | undefined>;

/** One request of a client: the whole conversation, and what to do with it. */
export interface TurnRequest {
  readonly messages: readonly Message[];
  /** The client's own tools; calls of them go back to it. */
  readonly tools: readonly ToolDefinition[];
  /** `none`: no tools at all, ours neither. */
  readonly toolChoice: ToolChoice | 'none';
  /** Over the server's defaults. */
  readonly sampling: Sampling;
  readonly logprobs?: number | undefined;
  readonly thinking?: boolean | undefined;
  readonly shape?: ReplyShape | undefined;
  readonly overflow: 'trim' | 'stop';
  readonly acquire: Acquire;
  readonly signal: AbortSignal;
}

/** Text to go on with, without template or tools. */
export type CompletionRequest = Pick<TurnRequest, 'sampling' | 'logprobs' | 'acquire' | 'signal'> & {
  readonly text: string;
};

export interface RequestTurnsOptions
  extends Pick<
    AgentOptions,
    'sampling' | 'toolTimeoutMs' | 'maxResultChars' | 'retry' | 'constrain' | 'onAttempt'
  > {
  readonly model: ChatModel;
  readonly tools: ToolHost;
  /** Stands where a conversation has no system message of its own. */
  readonly systemMessage: string;
}

/** Answers requests of clients, which bring their conversation each time, with our tools beside theirs. */
export class RequestTurns {
  readonly #options: RequestTurnsOptions;
  readonly #hidden = new HiddenRounds();

  constructor(options: RequestTurnsOptions) {
    this.#options = options;
  }

  /** Names of all tools that a request with these would have. */
  toolNames(own: readonly ToolDefinition[]): string[] {
    return [...own, ...this.#options.tools.tools().map(tool => tool.definition)].map(
      tool => tool.function.name,
    );
  }

  /** Tokens of the first prompt. @throws LlmHostError TEMPLATE */
  countTokens(
    request: Pick<TurnRequest, 'messages' | 'tools' | 'toolChoice' | 'shape' | 'thinking'>,
  ): number {
    const { thinking } = request;
    return this.#options.model.countTokens({
      messages: this.#conversation(request),
      tools: this.#offered(request).map(tool => tool.definition),
      ...(thinking !== undefined && { thinking }),
    });
  }

  /** The defaults, one to a line, as a Modelfile has them. */
  samplingText(): string {
    const { temperature, topP, topK, seed } = this.#options.sampling;
    const listed = { temperature, top_p: topP, top_k: topK, seed, num_ctx: this.contextLength };
    return Object.entries(listed)
      .flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`]))
      .join('\n');
  }

  get contextLength(): number {
    return this.#options.model.contextLength;
  }

  /** Returns the calls that are the client's. A failure is the last event, an abort ends the stream early. */
  async *run(request: TurnRequest): AsyncGenerator<TurnEvent, readonly ToolCall[]> {
    const { sampling, toolTimeoutMs, maxResultChars, retry, constrain, onAttempt, tools } = this.#options;
    const history = createHistory();
    history.add(...this.#conversation(request));
    const mark = history.mark();
    const { logprobs, thinking, toolChoice, overflow, shape, signal } = request;
    const responseFormat = shape && this.#options.model.canFollowFormat ? heldTo(shape) : undefined;
    const agent = new Agent({
      model: takingTurns(this.#options.model, request.acquire),
      tools: offering(tools, this.#offered(request)),
      history,
      sampling: { ...sampling, ...request.sampling },
      ...{ toolTimeoutMs, overflow, newCallId },
      ...(maxResultChars !== undefined && { maxResultChars }),
      ...(retry && { retry }),
      ...(constrain && { constrain }),
      ...(onAttempt && { onAttempt }),
      handOver: new Set(request.tools.map(tool => tool.function.name)),
      reply: {
        ...(logprobs !== undefined && { logprobs }),
        ...(thinking !== undefined && { thinking }),
        ...(toolChoice !== 'none' && { toolChoice }),
        ...(responseFormat && { responseFormat }),
      },
    });
    const held = responseFormat !== undefined && isCovered(shape?.schema);
    const turn = shape ? shapedTurn(agent, history, shape, { signal, held }) : agent.respond(signal);
    let said = '';
    for (let step = await turn.next(); ; step = await turn.next()) {
      if (step.done) {
        this.#remember(request.messages, said, step.value, history.messages.slice(mark));
        return step.value;
      }
      if (step.value.type === 'assistant') said = step.value.text;
      yield step.value;
    }
  }

  /** Goes on with a text, as a turn without calls. */
  async *complete(request: CompletionRequest): AsyncGenerator<TurnEvent, readonly ToolCall[]> {
    const { text, logprobs, acquire, signal } = request;
    const sampling = { ...this.#options.sampling, ...request.sampling };
    const reply = takingTurns(this.#options.model, acquire).reply({
      ...{ messages: [], tools: [], text, sampling, signal },
      ...(logprobs !== undefined && { logprobs }),
    });
    let said = '';
    try {
      for (let step = await reply.next(); ; step = await reply.next()) {
        if (step.done) {
          const cancelled = step.value.finishReason === 'cancelled';
          yield { type: 'stats', stats: step.value };
          yield { type: 'assistant', text: said, cancelled };
          return [];
        }
        if (step.value.type === 'prefill') yield step.value;
        if (step.value.type !== 'content') continue;
        said += step.value.text;
        yield { ...step.value, type: 'token' };
      }
    } catch (error) {
      yield errorEvent(error);
      return [];
    }
  }

  /** With the hidden rounds, and with what the server itself says to the model. */
  #conversation({ messages, shape }: Pick<TurnRequest, 'messages' | 'shape'>): readonly Message[] {
    const restored = this.#hidden.restore(messages);
    const [first, ...rest] = restored;
    const own = first?.role === 'system' ? first.content : this.#options.systemMessage;
    const system = [own, shape ? shapeInstruction(shape) : ''].filter(Boolean).join('\n\n');
    const others = first?.role === 'system' ? rest : restored;
    return system === '' ? others : [{ role: 'system', content: system }, ...others];
  }

  /** A tool of the client hides one of ours that has its name. */
  #offered({ tools, toolChoice }: Pick<TurnRequest, 'tools' | 'toolChoice'>): HostTool[] {
    if (toolChoice === 'none') return [];
    const names = new Set(tools.map(tool => tool.function.name));
    const all = [
      ...tools.map(definition => ({
        ...{ definition, server: 'client', tool: definition.function.name, readOnly: false },
      })),
      ...this.#options.tools.tools().filter(tool => !names.has(tool.definition.function.name)),
    ];
    if (typeof toolChoice === 'string') return all;
    return all.filter(tool => tool.definition.function.name === toolChoice.name);
  }

  #remember(
    asked: readonly Message[],
    said: string,
    calls: readonly ToolCall[],
    added: readonly Message[],
  ): void {
    if (added.length <= 1) return;
    const reply: Message = {
      role: 'assistant',
      content: said,
      ...(calls.length > 0 && { tool_calls: calls }),
    };
    this.#hidden.remember([...asked, reply], added);
  }
}

/** What holds a reply to its shape from the start; a schema that no grammar can be made of is only asked for. */
function heldTo({ schema }: ReplyShape): ResponseFormat | undefined {
  const responseFormat: ResponseFormat = schema ? { type: 'json_schema', schema } : { type: 'json_object' };
  return canFollow(responseFormat) ? responseFormat : undefined;
}

function newCallId(): string {
  return `call_${randomBytes(12).toString('hex')}`;
}

/** The same servers, with other tools on offer. */
function offering(host: ToolHost, tools: readonly HostTool[]): ToolHost {
  return {
    tools: () => tools,
    servers: () => host.servers(),
    call: (name, args, options) => host.call(name, args, options),
    close: () => Promise.resolve(),
  };
}

const NOTHING: ReplyStats = {
  promptTokens: 0,
  cachedTokens: 0,
  generatedTokens: 0,
  firstTokenMs: 0,
  prefillMs: 0,
  decodeMs: 0,
  finishReason: 'cancelled',
};

/** The same model, which waits for the engine before each reply and frees it afterwards. */
function takingTurns(model: ChatModel, acquire: Acquire): ChatModel {
  const { name } = model;
  return {
    ...(name !== undefined && { name }),
    contextLength: model.contextLength,
    ...(model.canConstrain && { canConstrain: true }),
    ...(model.canFollowFormat && { canFollowFormat: true }),
    ...(model.writeCall && { writeCall: model.writeCall.bind(model) }),
    countTokens: request => model.countTokens(request),
    async *reply(request: ReplyRequest) {
      const release = await acquire(request.signal);
      if (!release) return NOTHING;
      try {
        return yield* model.reply(request);
      } finally {
        release();
      }
    },
  };
}
