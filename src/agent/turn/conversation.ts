import type { History, HistoryMark } from '../../chat/history.ts';
import type { Message, ToolCall } from '../../chat/message.ts';
import type { ResponseFormat } from '../../grammar/response-format.ts';
import { RepeatGuard, UncheckedCalls } from '../calls/call-notices.ts';
import { ToolMetrics } from '../calls/metrics.ts';
import { calledTools, newCallIds } from '../calls/past-calls.ts';
import { hostNotices } from '../calls/run-tools.ts';
import { callCatalog, type ValidatedCalls, validateCalls } from '../calls/validate-calls.ts';
import {
  type Compacted,
  type CompactOptions,
  compactIfFull,
  compactTurns,
} from '../context/compact-turns.ts';
import {
  type ContextParts,
  type ContextRequest,
  contextParts,
  explainFull,
} from '../context/context-parts.ts';
import { droppedNotice, fitContext, fitResults } from '../context/fit-context.ts';
import { lookUpFirst, withRecall } from '../context/recall.ts';
import { errorEvent, type TurnEvent } from '../events/turn-event.ts';
import type { ChatModel, ReplyRequest } from '../model/chat-model.ts';
import { type Offer, offeredEvent, ToolOffer } from '../offer/tool-offer.ts';
import { LongResults } from '../results/long-results.ts';
import { ResourceLinks } from '../results/resource-links.ts';
import { resultLimit } from '../results/result-limit.ts';
import type { TurnOptions } from './agent-options.ts';
import { type AnswerCallsParts, answerCalls } from './answer-calls.ts';
import { FailedAttempts, type RetryPlan } from './failed-attempts.ts';
import { enforceable, formatInstruction, formattedTurn } from './formatted-turn.ts';
import { type LastTurn, OneTurn } from './one-turn.ts';
import { assistantMessage, lastEvents, type Reply, readReply, refuseMissingCall } from './reply.ts';

/** A prompt of the user. */
export interface Question {
  /** As typed: it may name a prompt or resources of servers. */
  readonly text: string;
  /** The part of the text in which resources may be named. Default: all of it. */
  readonly naming?: string | undefined;
  /** Follows the text; in it nothing is taken for the name of a resource. Default: nothing. */
  readonly data?: string | undefined;
  /** The answer must fit; see `formattedTurn`. Default: any answer. */
  readonly format?: ResponseFormat | undefined;
}

type TurnEvents = AsyncGenerator<TurnEvent, readonly ToolCall[]>;

/**
 * A conversation of a user with a model that calls tools. A turn is a prompt with replies and tool calls until the model
 * answers without calling a tool; only one runs at a time.
 */
export class Conversation {
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
  /** Gives back what the turn's input says only once, if the turn fails. */
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

  get history(): History {
    return this.#options.history;
  }

  /** Aborts when the conversation is closed. */
  get closing(): AbortSignal {
    return this.#oneTurn.closing;
  }

  /** Continues with another model, between turns. */
  changeModel(model: ChatModel): void {
    this.#options = { ...this.#options, model };
    this.offer.changeModel(model);
    this.metrics = new ToolMetrics(model.name ?? 'model', this.#options.onAttempt);
  }

  /** Forgets the conversation except for the system message. @throws LlmHostError USAGE while a turn runs */
  clear(): void {
    this.#oneTurn.mustBeOver();
    this.history.clear();
    this.forgetResults();
  }

  /** The long results of the conversation so far can no longer be read on: another one begins. */
  forgetResults(): void {
    this.#results.clear();
    this.#links.clear();
  }

  /**
   * Runs one turn; the history grows as it does. If the engine fails, the stream ends with an `error` event and the
   * history is as it was before; an abort, or leaving the stream early, keeps what was said so far.
   * @throws LlmHostError USAGE with the first event, while another turn runs
   */
  turn(text: string, signal?: AbortSignal): AsyncGenerator<TurnEvent> {
    return this.run(signal, stop => this.answer({ text }, stop));
  }

  /** Runs a turn that does more than `answer`, which it calls; see `OneTurn.run`. */
  run<R>(
    signal: AbortSignal | undefined,
    turn: (signal: AbortSignal) => AsyncGenerator<TurnEvent, R>,
    onEvent?: (event: TurnEvent) => void,
  ): AsyncGenerator<TurnEvent, R> {
    return this.#oneTurn.run(signal, turn, onEvent);
  }

  /** Ends the running turn, also one that nobody reads any more; resolves when it is over. */
  cancel(): Promise<void> {
    return this.#oneTurn.cancel();
  }

  /** Ends the running turn, whose reader still gets its last events, and aborts every later one. */
  close(): Promise<LastTurn> {
    return this.#oneTurn.close();
  }

  /** Asks and answers, within `run`. */
  answer(question: Question, signal?: AbortSignal): TurnEvents {
    return this.#turn(signal, question, question.format);
  }

  /** Answers the question that the history ends with. Returns the calls to hand over (see `handOver`). */
  respond(signal?: AbortSignal, format?: ResponseFormat): TurnEvents {
    return this.#turn(signal, undefined, format);
  }

  async *#turn(
    signal: AbortSignal | undefined,
    question: Question | undefined,
    format: ResponseFormat | undefined,
  ): TurnEvents {
    const { history, tools, model } = this.#options;
    tools.refreshStale?.();
    this.#turnStart = history.mark();
    this.#giveBack = undefined;
    try {
      if (question) yield* this.#ask(question, signal);
      if (!format) return yield* this.#rounds(signal);
      const { enforced, constrained } = enforceable(model, format);
      return yield* formattedTurn(history, format, constrained, () => this.#rounds(signal, enforced));
    } catch (error) {
      this.#takeBack();
      yield errorEvent(error);
      return [];
    }
  }

  /** As if nobody had asked. */
  #takeBack(): void {
    this.history.rollback(this.#turnStart);
    this.#giveBack?.();
  }

  /** Adds the question; with `summarize` the oldest turns become a summary if it does not fit behind all of them. */
  async *#ask(
    { text, naming, data, format }: Question,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<TurnEvent> {
    const { model, history, tools: host, overflow, reply } = this.#options;
    yield* hostNotices(host);
    const input = yield* this.#filledIn(text, naming, signal);
    const instruction = format && formatInstruction(format);
    this.#turnStart = history.mark();
    history.add({ role: 'user', content: [input, data, instruction].filter(Boolean).join('\n\n') });
    if (overflow !== 'summarize') return;
    const { listed: tools, messages: asRead } = this.#nextOffer();
    const parts = { model, history, tools, asRead, thinking: reply?.thinking, signal };
    const start = yield* compactIfFull(this.#turnStart, parts);
    if (start !== this.#turnStart) this.offer.keepHead(history.messages);
    this.#turnStart = start;
  }

  /** The input with the resources or the server prompt that it names filled in. */
  async *#filledIn(
    text: string,
    naming: string | undefined,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<TurnEvent, string> {
    const { tools, toolTimeoutMs: timeoutMs } = this.#options;
    if (tools.prepareInput === undefined || text === '') return text;
    const prepared = await tools.prepareInput(text, { timeoutMs, cut: this.#cut, naming, signal });
    this.#giveBack = prepared.giveBack;
    for (const message of prepared.notices) yield { type: 'notice', message };
    return prepared.text;
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

  async *#rounds(signal: AbortSignal | undefined, enforced?: ResponseFormat): TurnEvents {
    const { model, history, retry, tools } = this.#options;
    const guard = new RepeatGuard();
    const newCallId = this.#newCallId;
    const failed = new FailedAttempts({ model, history, metrics: this.metrics, retry, newCallId });
    let called = false;
    let said = '';
    while (true) {
      const request = yield* this.#nextRequest(failed.plan, called, enforced, signal);
      const explain = (error: unknown) => explainFull(error, model, this.#contextRequest(request.messages));
      const { singleCall } = request;
      const reply = yield* readReply(model.reply(request), this.metrics, { singleCall, explain });
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

  *#nextRequest(
    retry: RetryPlan,
    called: boolean,
    enforced: ResponseFormat | undefined,
    signal: AbortSignal | undefined,
  ): Generator<TurnEvent, ReplyRequest> {
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
    const mayLookUp = model.looksUpFirst && !responseFormat && retry.attempts === 0;
    const toolChoice = asked ?? (mayLookUp ? lookUpFirst(offered.tools, history) : undefined);
    for (const message of model.takeNotices?.() ?? []) yield { type: 'notice', message };
    return {
      messages,
      tools,
      listed: offered.listed,
      sampling,
      constrainCalls,
      ...options,
      responseFormat: responseFormat ?? enforced,
      toolChoice: called ? undefined : toolChoice,
      signal,
    };
  }

  /** The parts of the next prompt with their tokens. */
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

  /** Cuts a result to the part that the model sees. */
  readonly #cut = (tool: string, text: string): string => {
    const { model, maxResultChars } = this.#options;
    return this.#results.cut(tool, text, maxResultChars ?? resultLimit(model.contextLength));
  };

  #newCall(name: string, args: Readonly<Record<string, unknown>>): ToolCall {
    return { id: this.#newCallId(), type: 'function', function: { name, arguments: args } };
  }
}
