import type { History, HistoryMark } from '../../chat/history.ts';
import type { Message, ToolCall, ToolDefinition } from '../../chat/message.ts';
import { LlmHostError } from '../../errors.ts';
import type { ResponseFormat } from '../../grammar/response-format.ts';
import type { ToolHost } from '../../mcp/tool-host.ts';
import { ToolCatalog } from '../../parse/calls/tool-catalog.ts';
import type { Sampling } from '../../text/sampling/fields.ts';
import { feedback } from '../calls/feedback.ts';
import { type AttemptRecord, ToolMetrics } from '../calls/metrics.ts';
import { RepeatGuard } from '../calls/repeat-guard.ts';
import { resultLimit } from '../calls/result-limit.ts';
import { type RetryOptions, RetryPlan } from '../calls/retry.ts';
import { type CallRecord, hostNotices, runTools } from '../calls/run-tools.ts';
import {
  type BadCall,
  type CallEvent,
  type GoodCall,
  type Judgement,
  judgeReply,
} from '../calls/validate-calls.ts';
import { errorEvent, type ReplyStats, type TurnEvent } from '../events/turn-event.ts';
import type { ChatModel, ReplyRequest } from '../model/chat-model.ts';
import { fitContext } from './fit-context.ts';
import { type ConstrainMode, formatError } from './response-problem.ts';

export interface AgentOptions {
  readonly model: ChatModel;
  readonly tools: ToolHost;
  readonly history: History;
  readonly sampling: Sampling;
  /** Milliseconds per call. */
  readonly toolTimeoutMs: number;
  /** Characters of a tool result that the model sees. Default: by the size of the context. */
  readonly maxResultChars?: number;
  readonly retry?: RetryOptions;
  /** When calls are held to the schemas of their tools. Default `auto`. */
  readonly constrain?: ConstrainMode;
  /** What the answer of a turn is held to; one that does not fit all the same is an error. */
  readonly responseFormat?: ResponseFormat;
  /** Takes every attempt at a call, such as `metricsFile`. */
  readonly onAttempt?: (record: AttemptRecord) => void;
  /** Calls of these tools are the caller's to run: they end the turn. Default: none. */
  readonly handOver?: ReadonlySet<string>;
  /** A conversation longer than the context loses its oldest turns (`trim`, default), or is an error. */
  readonly overflow?: 'trim' | 'stop';
  /** What else is asked of every reply; `toolChoice` of the first one only. */
  readonly reply?: Pick<ReplyRequest, 'logprobs' | 'thinking' | 'toolChoice' | 'responseFormat'>;
  /** Default: `call_1`, `call_2`, ... */
  readonly newCallId?: () => string;
}

/** What one reply of the model came to. */
interface Reply {
  content: string;
  thinking: string;
  readonly events: CallEvent[];
  stats: ReplyStats | undefined;
}

/** Failed attempts at a call stand behind `mark` in the history until one succeeds. */
interface Round {
  readonly retry: RetryPlan;
  mark: HistoryMark | undefined;
  /** A tool has been called in this turn. */
  called: boolean;
}

/** Runs turns: prompt, replies and tool calls until the model answers without calling a tool. */
export class Agent {
  /** How well this model calls tools. */
  readonly metrics: ToolMetrics;
  readonly #options: AgentOptions;
  #callCount = 0;

  constructor(options: AgentOptions) {
    this.#options = options;
    this.metrics = new ToolMetrics(options.model.name ?? 'model', options.onAttempt);
  }

  /** Forgets the conversation; the system message stays. */
  clear(): void {
    this.#options.history.clear();
  }

  /**
   * One turn as a stream of events; the history grows as it goes. A failure of the engine becomes an `error`
   * event and takes the turn back out of the history; an abort keeps what was said so far.
   */
  async *turn(input: string, signal?: AbortSignal): AsyncGenerator<TurnEvent> {
    const { history, tools } = this.#options;
    const prepared = this.#prepared(input, signal);
    yield* this.#guarded(async function* (rounds) {
      yield* hostNotices(tools);
      history.add({ role: 'user', content: yield* prepared });
      return yield* rounds;
    }, signal);
  }

  /**
   * The same over the history as it stands, which ends with the user's message or a result. Returns the calls that are
   * the caller's to run (see `handOver`).
   */
  async *respond(signal?: AbortSignal): AsyncGenerator<TurnEvent, readonly ToolCall[]> {
    return yield* this.#guarded(rounds => rounds, signal);
  }

  async *#guarded(
    run: (
      rounds: AsyncGenerator<TurnEvent, readonly ToolCall[]>,
    ) => AsyncGenerator<TurnEvent, readonly ToolCall[]>,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<TurnEvent, readonly ToolCall[]> {
    const { history } = this.#options;
    const mark = history.mark();
    try {
      return yield* run(this.#rounds(signal));
    } catch (error) {
      history.rollback(mark);
      yield errorEvent(error);
      return [];
    }
  }

  /** The input with the resources or the prompt of a server that it names. */
  async *#prepared(input: string, signal: AbortSignal | undefined): AsyncGenerator<TurnEvent, string> {
    const { tools, toolTimeoutMs } = this.#options;
    if (tools.prepareInput === undefined) return input;
    const options = { timeoutMs: toolTimeoutMs, ...(signal && { signal }) };
    const { text, notices } = await tools.prepareInput(input, options);
    for (const message of notices) yield { type: 'notice', message };
    return text;
  }

  async *#rounds(signal: AbortSignal | undefined): AsyncGenerator<TurnEvent, readonly ToolCall[]> {
    const guard = new RepeatGuard();
    const round: Round = { retry: new RetryPlan(this.#options.retry), mark: undefined, called: false };
    let said = '';
    while (true) {
      const reply = yield* this.#reply(round, signal);
      const cancelled = reply.stats?.finishReason === 'cancelled';
      const { good, bad } = this.#judge(reply, cancelled);
      if (good.length === 0 && bad.length > 0) {
        const end = yield* this.#retry(round, reply, bad, signal);
        if (!end) continue;
        yield { type: 'assistant', text: said, cancelled: end === 'cancelled' };
        return [];
      }
      this.#checkChoice(round, good.length > 0 || cancelled);
      // The model let a call that had failed be, and answered in words.
      if (good.length === 0 && round.retry.attempts > 0) this.metrics.gaveUp();
      this.#forgetFailures(round);
      said = [said, reply.content.trim()].filter(Boolean).join('\n');
      this.#remember(reply, [...good, ...bad]);
      if (good.length === 0) {
        yield* lengthNotice(reply);
        yield { type: 'assistant', text: said, cancelled };
        const { responseFormat } = this.#options;
        const cut = reply.stats?.finishReason !== 'stop';
        if (responseFormat && !cancelled) yield* formatError(responseFormat, reply.content, cut);
        return [];
      }
      const ours = good.filter(({ call }) => !this.#isHandedOver(call));
      const records = yield* this.#callTools(ours, bad, round.retry.attempts, signal);
      round.retry.succeeded();
      this.#options.model.callSettled?.(true);
      round.called = true;
      const repeated = guard.check(records);
      if (repeated) yield { type: 'notice', message: repeated };
      if (signal?.aborted || ours.length < good.length) {
        yield { type: 'assistant', text: said, cancelled: signal?.aborted === true };
        return good.flatMap(({ call }) => (this.#isHandedOver(call) ? [call] : []));
      }
    }
  }

  #isHandedOver({ function: { name } }: ToolCall): boolean {
    return this.#options.handOver?.has(name) === true;
  }

  /** A model that could not be made to call a tool has not done what it was asked for. */
  #checkChoice({ called }: Round, fulfilled: boolean): void {
    const { toolChoice = 'auto' } = this.#options.reply ?? {};
    if (toolChoice === 'auto' || called || fulfilled) return;
    throw new LlmHostError('TOOL_FAILED', 'The model called no tool, although it was asked to');
  }

  /** A cancelled reply keeps its text but none of its calls. */
  #judge(reply: Reply, cancelled: boolean): Judgement {
    if (cancelled || reply.events.length === 0) return { good: [], bad: [] };
    const catalog = new ToolCatalog(this.#tools());
    return judgeReply(reply.events, catalog, (name, args) => this.#newCall(name, args));
  }

  /**
   * Tells the model what was wrong. Returns why the turn ends, or undefined if the model may try again; the failed
   * attempts leave the history in the end either way, but for the text of the last.
   */
  async *#retry(
    round: Round,
    reply: Reply,
    bad: readonly BadCall[],
    signal: AbortSignal | undefined,
  ): AsyncGenerator<TurnEvent, 'cancelled' | 'exhausted' | undefined> {
    const { history, model } = this.#options;
    const { retry } = round;
    round.mark ??= history.mark();
    for (const one of bad)
      this.metrics.attempt(one.tool ?? one.call?.function.name ?? '', one.label, retry.attempts);
    retry.failed(textOf(reply));
    yield* reportBad(bad, () => this.#newCall('', {}).id);
    if (signal?.aborted || retry.exhausted) {
      this.metrics.gaveUp();
      if (!signal?.aborted) model.callSettled?.(false);
      history.rollback(round.mark);
      history.add({ role: 'assistant', content: textOf(reply) });
      if (signal?.aborted) return 'cancelled';
      yield {
        type: 'notice',
        message: 'The model could not write a readable tool call; the turn ends here.',
      };
      return 'exhausted';
    }
    const readable = bad.filter(one => one.call !== undefined);
    this.#remember(reply, readable);
    const tools = this.#tools();
    const writeCall = model.writeCall?.bind(model);
    for (const one of bad) {
      const content = feedback(one, tools, writeCall);
      if (one.call) history.add(toolMessage(one.call, content));
    }
    const unread = bad.filter(one => one.call === undefined);
    // A result without a call breaks some templates, so what could not even be read is answered by a note.
    if (unread.length > 0) {
      history.add({ role: 'user', content: unread.map(one => feedback(one, tools, writeCall)).join('\n') });
    }
    return undefined;
  }

  #forgetFailures(round: Round): void {
    if (round.mark !== undefined) this.#options.history.rollback(round.mark);
    round.mark = undefined;
  }

  async *#reply(round: Round, signal: AbortSignal | undefined): AsyncGenerator<TurnEvent, Reply> {
    const { model, history, overflow, responseFormat } = this.#options;
    const constrainCalls = this.#constrains(round.retry);
    const sampling = round.retry.sampling(this.#options.sampling, constrainCalls);
    const tools = this.#tools();
    const whole = { messages: history.messages, droppedTurns: 0 };
    const { messages, droppedTurns } =
      overflow === 'stop' ? whole : fitContext(model, history.messages, tools, this.#options.reply?.thinking);
    if (droppedTurns > 0) {
      const turns = droppedTurns === 1 ? 'The oldest turn does' : `The ${droppedTurns} oldest turns do`;
      yield {
        type: 'notice',
        message: `${turns} not fit the context of ${model.contextLength} tokens and ${droppedTurns === 1 ? 'was' : 'were'} left out.`,
      };
    }
    const reply: Reply = { content: '', thinking: '', events: [], stats: undefined };
    const { toolChoice, ...asked } = this.#options.reply ?? {};
    const events = model.reply({
      ...{ messages, tools, sampling, constrainCalls, ...asked },
      ...(responseFormat && { responseFormat }),
      ...(toolChoice && !round.called && { toolChoice }),
      ...(signal && { signal }),
    });
    for (let step = await events.next(); ; step = await events.next()) {
      if (step.done) {
        reply.stats = step.value;
        this.metrics.tokens(step.value.generatedTokens);
        yield { type: 'stats', stats: step.value };
        return reply;
      }
      const event = step.value;
      switch (event.type) {
        case 'prefill':
          yield event;
          break;
        case 'content':
          reply.content += event.text;
          yield { type: 'token', text: event.text, ...(event.logprobs && { logprobs: event.logprobs }) };
          break;
        case 'thinking':
          reply.thinking += event.text;
          yield { type: 'thinking', text: event.text };
          break;
        case 'call':
        case 'malformed':
          reply.events.push(event);
          break;
      }
    }
  }

  /** Whether the next reply's calls are held to their schemas. */
  #constrains(retry: RetryPlan): boolean {
    const { constrain = 'auto', model } = this.#options;
    return (model.canConstrain ?? false) && (constrain === 'always' || (constrain === 'auto' && retry.stuck));
  }

  #tools(): ToolDefinition[] {
    return this.#options.tools.tools().map(tool => tool.definition);
  }

  #newCall(name: string, args: Readonly<Record<string, unknown>>): ToolCall {
    this.#callCount += 1;
    const id = this.#options.newCallId?.() ?? `call_${this.#callCount}`;
    return { id, type: 'function', function: { name, arguments: args } };
  }

  /** Puts the reply into the history, unreadable calls as the text that they are. */
  #remember(reply: Reply, calls: readonly (GoodCall | BadCall)[]): void {
    const broken = reply.events.flatMap(event => (event.type === 'malformed' ? [event.raw] : []));
    const listed = calls.flatMap(({ call }) => (call ? [call] : []));
    this.#options.history.add({
      role: 'assistant',
      content: [reply.content.trim(), ...broken].filter(Boolean).join('\n'),
      ...(reply.thinking && { reasoning_content: reply.thinking }),
      ...(listed.length > 0 && { tool_calls: listed }),
    });
  }

  async *#callTools(
    good: readonly GoodCall[],
    bad: readonly BadCall[],
    attempt: number,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<TurnEvent, CallRecord[]> {
    const { tools, toolTimeoutMs, history, model } = this.#options;
    for (const { call, repairs } of good) this.metrics.attempt(call.function.name, 'ok', attempt, repairs);
    const records = yield* runTools(
      tools,
      good.map(({ call }) => call),
      {
        timeoutMs: toolTimeoutMs,
        maxResultChars: this.#options.maxResultChars ?? resultLimit(model.contextLength),
        signal,
      },
    );
    yield* reportBad(bad, () => this.#newCall('', {}).id);
    for (const one of bad) {
      this.metrics.attempt(one.tool ?? '', one.label, attempt);
      // What the model makes of it is a call of the next reply.
      this.metrics.gaveUp();
    }
    const definitions = this.#tools();
    const notes = bad
      .filter(one => !one.call)
      .map(one => `\n\nAnother call in the same reply: ${feedback(one, definitions, undefined)}`);
    records.forEach(({ call, content }, index) => {
      history.add(toolMessage(call, index === records.length - 1 ? content + notes.join('') : content));
    });
    for (const one of bad)
      if (one.call) history.add(toolMessage(one.call, feedback(one, definitions, undefined)));
    return records;
  }
}

/** All that the model said, to compare attempts by. */
function textOf(reply: Reply): string {
  return [reply.content.trim(), ...reply.events.map(event => event.raw)].filter(Boolean).join('\n');
}

function toolMessage(call: ToolCall, content: string): Message {
  return { role: 'tool', tool_call_id: call.id, name: call.function.name, content };
}

function* reportBad(bad: readonly BadCall[], newId: () => string): Generator<TurnEvent> {
  for (const { call, message } of bad) {
    const id = call?.id ?? newId();
    const name = call?.function.name ?? '';
    if (call) yield { type: 'tool_call', id, name, arguments: call.function.arguments };
    yield { type: 'tool_error', id, name, message, seconds: 0 };
  }
}

function* lengthNotice(reply: Reply): Generator<TurnEvent> {
  const reason = reply.stats?.finishReason;
  if (reason === 'length') yield { type: 'notice', message: 'The reply was cut at --max-tokens.' };
  if (reason === 'full')
    yield { type: 'notice', message: 'The context is full; the reply was cut. Type "clear" to start over.' };
}
