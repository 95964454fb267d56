import type { HistoryMark } from '../../chat/history.ts';
import type { Message, ToolCall } from '../../chat/message.ts';
import { callCatalog } from '../calls/call-catalog.ts';
import { newCallIds } from '../calls/call-ids.ts';
import { calledTools } from '../calls/called-tools.ts';
import { ToolMetrics } from '../calls/metrics.ts';
import { RepeatGuard } from '../calls/repeat-guard.ts';
import type { RetryPlan } from '../calls/retry.ts';
import { hostNotices } from '../calls/run-tools.ts';
import { UncheckedCalls } from '../calls/unchecked-calls.ts';
import { type ValidatedCalls, validateCalls } from '../calls/validate-calls.ts';
import { compactIfFull } from '../context/compact-if-full.ts';
import { type Compacted, type CompactOptions, compactTurns } from '../context/compact-turns.ts';
import {
  type ContextParts,
  type ContextRequest,
  contextParts,
  explainFull,
} from '../context/context-parts.ts';
import { droppedNotice, fitContext } from '../context/fit-context.ts';
import { fitResults } from '../context/fit-results.ts';
import { lookUpFirst } from '../context/look-up-first.ts';
import { withRecall } from '../context/recall.ts';
import { errorEvent, type TurnEvent } from '../events/turn-event.ts';
import type { ChatModel } from '../model/chat-model.ts';
import { type Offer, offeredEvent, ToolOffer } from '../offer/tool-offer.ts';
import { LongResults } from '../results/long-results.ts';
import { ResourceLinks } from '../results/resource-links.ts';
import { resultLimit } from '../results/result-limit.ts';
import type { TurnOptions } from './agent-options.ts';
import { type AnswerCallsParts, answerCalls } from './answer-calls.ts';
import { FailedAttempts } from './failed-attempts.ts';
import { lastEvents } from './last-events.ts';
import { refuseMissingCall } from './missing-call.ts';
import { OneTurn } from './one-turn.ts';
import { preparedInput } from './prepared-input.ts';
import { assistantMessage, type Reply, readReply } from './reply.ts';

/** Runs turns: prompt, replies and tool calls until the model answers without calling a tool. */
export class Agent {
  /** How well this model calls tools. */
  metrics: ToolMetrics;
  #options: TurnOptions;
  readonly offer: ToolOffer;
  readonly #results: LongResults;
  readonly #links: ResourceLinks;
  readonly #newCallId: () => string;
  readonly #oneTurn = new OneTurn();
  readonly #uncheckedCalls = new UncheckedCalls();
  /** Where the turn begins in the history. */
  #turnStart: HistoryMark = 0;
  #offered: Offer | undefined;
  /** For what the turn's input tells only once, if the turn fails. */
  #giveBack: (() => void) | undefined;

  constructor(options: TurnOptions) {
    this.#newCallId = options.newCallId ?? newCallIds(options.history);
    this.#links = new ResourceLinks(options.tools, options.kept?.links);
    this.#results = new LongResults(this.#links.joined(), options.kept?.results);
    const { model, toolBudget: budget, pinnedTools: pinned, handOver: always } = options;
    this.offer = options.offer ?? new ToolOffer({ model, budget, pinned, always });
    const tools = withRecall(this.#results.joined(), options.history);
    this.#options = { ...options, tools: this.offer.joined(tools) };
    this.metrics = new ToolMetrics(options.model.name ?? 'model', options.onAttempt);
  }

  /** Goes on with another model, between turns. */
  changeModel(model: ChatModel): void {
    this.#options = { ...this.#options, model };
    this.offer.changeModel(model);
    this.metrics = new ToolMetrics(model.name ?? 'model', this.#options.onAttempt);
  }

  /** Goes on with other options of its requests, between turns. */
  changeReply(reply: NonNullable<TurnOptions['reply']>): void {
    this.#options = { ...this.#options, reply };
  }

  /** Forgets the conversation but for the system message. @throws LlmHostError USAGE while a turn runs */
  clear(): void {
    this.#oneTurn.mustBeOver();
    this.#options.history.clear();
    this.forgetResults();
  }

  /** The long results of the conversation so far can no longer be read on: another one begins. */
  forgetResults(): void {
    this.#results.clear();
    this.#links.clear();
  }

  /**
   * Runs one turn; the history grows as it goes. If the engine fails, the stream ends with an `error` event and the
   * history is as it was before; an abort, or leaving the stream early, keeps what was said so far.
   * @throws LlmHostError USAGE with the first event, while another turn runs
   * @param data follows the input; in it nothing is taken for the name of a resource
   * @param naming the part of the input in which resources may be named; undefined: all of it
   */
  async *turn(input: string, signal?: AbortSignal, data = '', naming?: string): AsyncGenerator<TurnEvent> {
    yield* this.#oneTurn.run(signal, stop => this.#turn(input, stop, data, naming));
  }

  /** Ends the turn under way as leaving its loop does, also one that nobody reads any more; resolves when it is over. */
  cancel(): Promise<void> {
    return this.#oneTurn.cancel();
  }

  async *#turn(input: string, signal: AbortSignal, data: string, naming: string | undefined) {
    const { tools } = this.#options;
    const prepared = this.#prepareInput(input, naming, signal);
    const ask = (content: string) => this.ask(content, signal);
    yield* this.#guarded(async function* (rounds) {
      yield* hostNotices(tools);
      yield* ask([yield* prepared, data].filter(Boolean).join('\n\n'));
      return yield* rounds;
    }, signal);
  }

  /** Adds the question; with `summarize` the oldest turns become a summary if it does not fit behind all of them. */
  async *ask(content: string, signal: AbortSignal | undefined): AsyncGenerator<TurnEvent> {
    const { model, history, overflow, reply } = this.#options;
    this.#turnStart = history.mark();
    history.add({ role: 'user', content });
    if (overflow !== 'summarize') return;
    const { listed, messages } = this.#nextOffer();
    const parts = { model, history, tools: listed, asRead: messages, thinking: reply?.thinking, signal };
    const start = yield* compactIfFull(this.#turnStart, parts);
    if (start !== this.#turnStart) this.offer.keepHead(history.messages);
    this.#turnStart = start;
  }

  /** A summary of all turns but the last, which `accept` puts into the history; see `compactTurns`. */
  async summary(signal: AbortSignal, onReply?: CompactOptions['onReply']): ReturnType<typeof compactTurns> {
    const { model, history } = this.#options;
    const { listed: tools, messages: asRead } = this.#nextOffer();
    const options = { tools, asRead, earlier: history.summarized, signal, onReply };
    return await compactTurns(model, history.messages, options);
  }

  accept({ messages, removed }: Compacted): void {
    this.#options.history.summarize(messages, removed);
    this.offer.keepHead(messages);
  }

  /**
   * The same for a history that already ends with the question. Returns the calls to hand over (see `handOver`).
   * @param start behind the question, if more was said since. Default: the end
   */
  async *respond(signal?: AbortSignal, start?: HistoryMark): AsyncGenerator<TurnEvent, readonly ToolCall[]> {
    return yield* this.#guarded(rounds => rounds, signal, start);
  }

  async *#guarded(
    run: (
      rounds: AsyncGenerator<TurnEvent, readonly ToolCall[]>,
    ) => AsyncGenerator<TurnEvent, readonly ToolCall[]>,
    signal: AbortSignal | undefined,
    start?: HistoryMark,
  ): AsyncGenerator<TurnEvent, readonly ToolCall[]> {
    const { history, tools } = this.#options;
    tools.refreshStale?.();
    this.#turnStart = start ?? history.mark();
    this.#giveBack = undefined;
    try {
      return yield* run(this.#rounds(signal));
    } catch (error) {
      this.#takeBack();
      yield errorEvent(error);
      return [];
    }
  }

  /** As if nobody had asked. */
  #takeBack(): void {
    this.#options.history.rollback(this.#turnStart);
    this.#giveBack?.();
  }

  #prepareInput(input: string, naming: string | undefined, signal: AbortSignal | undefined) {
    const { tools, toolTimeoutMs: timeoutMs } = this.#options;
    const onPrepared = (giveBack: (() => void) | undefined) => {
      this.#giveBack = giveBack;
    };
    return preparedInput(tools, input, { timeoutMs, cut: this.#cut, naming, signal, onPrepared });
  }

  async *#rounds(signal: AbortSignal | undefined): AsyncGenerator<TurnEvent, readonly ToolCall[]> {
    const { model, history, retry, tools } = this.#options;
    const guard = new RepeatGuard();
    const newCallId = this.#newCallId;
    const withdrawsCalls = (this.#options.sampling.callConfidence ?? 0) > 0;
    const parts = { model, history, metrics: this.metrics, retry, newCallId, withdrawsCalls };
    const failed = new FailedAttempts(parts);
    let called = false;
    let said = '';
    while (true) {
      const reply = yield* this.#reply(failed.plan, called, signal);
      const cancelled = reply.stats.finishReason === 'cancelled';
      // Failed attempts too: a stream has shown their words by now.
      said = [said, reply.content.trim()].filter(Boolean).join('\n');
      const { valid, invalid } = this.#validate(reply, cancelled);
      if (this.#mayHold() && !signal?.aborted && failed.shouldRepeat(reply, invalid)) {
        yield* failed.repeat(reply, invalid);
        continue;
      }
      if (valid.length === 0 && invalid.length > 0) {
        const definitions = tools.tools().map(tool => tool.definition);
        const end = yield* failed.add(reply, invalid, definitions, signal?.aborted === true);
        if (!end) continue;
        yield { type: 'assistant', text: said, cancelled: end === 'cancelled' };
        return [];
      }
      const ended = reply.stats.finishReason === 'stop';
      if (!called && valid.length === 0 && ended) refuseMissingCall(this.#options.reply?.toolChoice);
      // After failed attempts the model answered in words instead.
      if (valid.length === 0 && failed.plan.attempts > 0) this.metrics.gaveUp();
      failed.forget();
      history.add(assistantMessage(reply, [...valid, ...invalid]));
      if (valid.length === 0) {
        yield* lastEvents(reply, said, this.#options.responseFormat);
        return [];
      }
      const ours = valid.filter(({ call }) => !this.#isHandedOver(call));
      const parts = { ...this.#callParts(), attempt: failed.plan.attempts, signal };
      const records = yield* answerCalls({ valid: ours, invalid }, parts);
      failed.plan.succeeded();
      model.callSettled?.(true);
      called = true;
      const repeated = guard.check(records);
      if (repeated) yield { type: 'notice', message: repeated };
      if (signal?.aborted || ours.length < valid.length) {
        yield { type: 'assistant', text: said, cancelled: signal?.aborted === true };
        return valid.flatMap(({ call }) => (this.#isHandedOver(call) ? [call] : []));
      }
    }
  }

  #isHandedOver({ function: { name } }: ToolCall): boolean {
    return this.#options.handOver?.has(name) === true;
  }

  /** A cancelled reply keeps its text but none of its calls. */
  #validate(reply: Reply, cancelled: boolean): ValidatedCalls {
    if (cancelled || reply.calls.length === 0) return { valid: [], invalid: [] };
    const { history, tools } = this.#options;
    const catalog = callCatalog(tools.tools(), this.#offered?.tools ?? []);
    const newCall = this.#newCall.bind(this);
    return validateCalls(reply.calls, catalog, newCall, calledTools(history.messages));
  }

  async *#reply(
    retry: RetryPlan,
    called: boolean,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<TurnEvent, Reply> {
    const { model, responseFormat, history } = this.#options;
    const constrainCalls = this.#constrains(retry);
    const sampling = retry.sampling(this.#options.sampling, constrainCalls);
    const { toolChoice: asked, ...options } = this.#options.reply ?? {};
    yield* this.#fitResults(options.thinking);
    const offered = this.#nextOffer();
    yield* offeredEvent(this.#offered, offered);
    this.#offered = offered;
    const tools = offered.tools.map(tool => tool.definition);
    const messages = yield* this.#fit(offered, options.thinking);
    const mayLookUp = !responseFormat && retry.attempts === 0;
    const toolChoice = asked ?? (mayLookUp ? lookUpFirst(offered.tools, history) : undefined);
    for (const message of model.takeNotices?.() ?? []) yield { type: 'notice', message };
    const events = model.reply({
      messages,
      tools,
      listed: offered.listed,
      sampling,
      constrainCalls,
      ...options,
      ...(responseFormat && { responseFormat }),
      ...(toolChoice && !called && { toolChoice }),
      ...(signal && { signal }),
    });
    try {
      return yield* readReply(events, this.metrics, options.singleCall);
    } catch (error) {
      throw explainFull(error, model, this.#contextRequest(messages));
    }
  }

  /** What takes how many tokens of the next prompt. */
  contextParts(): ContextParts {
    const { model, history } = this.#options;
    return contextParts(model, this.#contextRequest(history.messages));
  }

  #contextRequest(messages: readonly Message[]): ContextRequest {
    const { history, reply } = this.#options;
    const summarized = history.summarized.length > 0;
    return { messages, tools: this.#nextOffer().listed, thinking: reply?.thinking, summarized };
  }

  /** Long results of this turn give way until the prompt fits. */
  *#fitResults(thinking: boolean | undefined): Generator<TurnEvent> {
    const { model, history } = this.#options;
    const parts = { model, history, results: this.#results, tools: () => this.#nextOffer().listed, thinking };
    yield* fitResults(this.#turnStart, parts);
  }

  /** The messages of the next prompt. */
  *#fit(
    { messages, listed }: Offer,
    thinking: boolean | undefined,
  ): Generator<TurnEvent, readonly Message[]> {
    const { model, history, overflow } = this.#options;
    if (overflow === 'stop') return messages;
    const summarized = history.summarized.length > 0;
    const fitted = fitContext(model, messages, listed, { thinking, summarized, turn: this.#turnStart });
    if (fitted.droppedTurns > 0) yield droppedNotice(fitted.droppedTurns, model.contextLength);
    return fitted.messages;
  }

  /** For the next prompt. */
  #nextOffer(): Offer {
    return this.offer.next(this.#options.tools.tools(), this.#options.history.messages);
  }

  /** Whether to constrain the calls of the next reply. */
  #constrains(retry: RetryPlan): boolean {
    const { constrain, model } = this.#options;
    if (constrain === 'always') return model.canConstrain ?? false;
    return this.#mayHold() && retry.stuck;
  }

  /** Whether calls are constrained only once the model has failed at one. */
  #mayHold(): boolean {
    const { constrain = 'auto', model } = this.#options;
    return (model.canConstrain ?? false) && constrain === 'auto';
  }

  #callParts(): Omit<AnswerCallsParts, 'attempt' | 'signal'> {
    const { tools, history, toolTimeoutMs: timeoutMs, approver, awaitTasks } = this.#options;
    return {
      tools,
      history,
      metrics: this.metrics,
      unchecked: this.#uncheckedCalls,
      timeoutMs,
      cut: this.#cut,
      newCallId: this.#newCallId,
      approver,
      awaitTasks,
    };
  }

  /** What the model sees of a result. */
  readonly #cut = (tool: string, text: string): string => {
    const { model, maxResultChars } = this.#options;
    return this.#results.cut(tool, text, maxResultChars ?? resultLimit(model.contextLength));
  };

  #newCall(name: string, args: Readonly<Record<string, unknown>>): ToolCall {
    return { id: this.#newCallId(), type: 'function', function: { name, arguments: args } };
  }
}
