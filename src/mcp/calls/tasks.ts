import { setTimeout as sleep } from 'node:timers/promises';
import { LlmHostError, messageOf } from '../../errors.ts';
import { isPlainObject } from '../../text/json/plain-object.ts';
import type { CallHooks, Connection } from '../server/connection.ts';
import { Deadline } from '../server/deadline.ts';
import type { ElicitationAnswer } from '../server/elicitation.ts';
import type { ManagedServer } from '../server/managed-server.ts';
import { readTask, type TaskState } from '../server/task-state.ts';
import { AnyResultSchema, type CallResult, CallResultSchema } from '../server/wire-schemas.ts';
import type { CallOptions } from '../tool-host.ts';
import { isServerAnswer } from '../transport/json-rpc.ts';
import { EXTENSION } from '../transport/wire-extensions.ts';
import { MAX_EXTENSION } from './call.ts';

/** Whatever the server suggests. */
const MIN_POLL_MS = 200;
const MAX_POLL_MS = 60_000;
/** Without a suggestion; then each time half as long again. */
const FIRST_POLL_MS = 300;
const UNSUGGESTED_MAX_MS = 5000;
const REQUEST_LIMIT_MS = 30_000;
/** The limit of polls that fail in a row, such as while the server restarts. */
const MAX_FAILED_POLLS = 5;
const MAX_LIFE_MS = 24 * 3_600_000;
/** In the background. */
const MAX_TASKS = 20;
/** How long the end of the program waits for servers to hear that their tasks are cancelled. */
const CANCEL_PATIENCE_MS = 500;

/** The outcome of a task in the background, for the model. */
export interface FinishedTask {
  readonly tool: string;
  readonly how: 'is done' | 'has failed';
  /** Its result, or why it failed. */
  readonly text: string;
}

/** A call that a server has made a task of. */
export interface TaskCall {
  readonly server: ManagedServer;
  /** The name of the tool that the model used. */
  readonly tool: string;
  readonly task: TaskState;
}

export interface TasksOptions {
  /** A result for the model. */
  readonly textOf: (result: CallResult) => string;
  /** News for the user, in sentences. */
  readonly onNews: (key: string, message: string) => void;
}

/**
 * Follows tasks to their end. A call waits for its task for as long as for any call; then the task goes on in the
 * background, and what becomes of it is told to the model with the user's next prompt. Where there may be no such prompt
 * (`onLongTask`), the call waits longer, and a task that takes longer still is cancelled.
 */
export class Tasks {
  readonly #options: TasksOptions;
  readonly #closed = new AbortController();
  readonly #followed = new Map<string, TaskCall>();
  readonly #cancelling = new Set<Promise<void>>();
  #background = 0;
  #finished: FinishedTask[] = [];

  constructor(options: TasksOptions) {
    this.#options = options;
  }

  /** The result, or what to tell the model if there is none yet. Throws LlmHostError CANCELLED or TOOL_FAILED. */
  async wait(call: TaskCall, timeoutMs: number, options: CallOptions): Promise<CallResult> {
    const key = `${call.server.config.name}\0${call.task.id}`;
    if (this.#followed.has(key))
      throw new LlmHostError(
        'TOOL_FAILED',
        `Tool '${call.tool}' failed: the server gave the id of another task`,
      );
    this.#followed.set(key, call);
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, this.#closed.signal]);
    const clock = new TaskClock(signal, options);
    let latest = call.task;
    let polls = 0;
    const onState = (state: TaskState): void => {
      latest = state;
      if (!signal.aborted && state.message !== undefined)
        options.onProgress?.({ done: ++polls, message: state.message });
    };
    const end = this.#follow(call, { signal, onWaiting: clock.setWaiting }, onState).finally(() =>
      this.#followed.delete(key),
    );
    const outcome = await clock.inTime(end, timeoutMs);
    if (typeof outcome === 'object') {
      if ('failure' in outcome) throw failed(call, outcome.failure);
      return outcome.result;
    }
    if (outcome === 'expired' && !options.onLongTask && this.#background < MAX_TASKS) {
      this.#keep(call, end);
      return text(stillAtWork(call, latest));
    }
    stop.abort();
    if (!this.#closed.signal.aborted) this.#cancel(call);
    if (outcome === 'cancelled') throw new LlmHostError('CANCELLED', `Tool '${call.tool}' was cancelled`);
    throw options.onLongTask ? timedOut(call, timeoutMs) : tooMany(call);
  }

  /** Outcomes of tasks in the background, for the model; each is returned once. */
  takeFinished(): readonly FinishedTask[] {
    return this.#finished.splice(0);
  }

  /** They were not told after all. */
  giveBack(finished: readonly FinishedTask[]): void {
    this.#finished.unshift(...finished);
  }

  /**
   * Follows none any more, and cancels all on their servers, since nobody will ask for them. Resolves once the servers have
   * heard that, or after half a second.
   */
  async close(): Promise<void> {
    const left = [...this.#followed.values()];
    this.#closed.abort();
    for (const call of left) this.#cancel(call);
    if (this.#cancelling.size === 0) return;
    const patience = new AbortController();
    const expired = sleep(CANCEL_PATIENCE_MS, undefined, { signal: patience.signal }).catch(() => undefined);
    await Promise.race([Promise.all(this.#cancelling), expired]);
    patience.abort();
  }

  #keep(call: TaskCall, end: Promise<CallResult>): void {
    const { onNews, textOf } = this.#options;
    const name = call.server.config.name;
    const key = `${name}\0task ${call.task.id}`;
    this.#background++;
    const tell = (text: string, how: FinishedTask['how']): void => {
      this.#background--;
      if (this.#closed.signal.aborted) return;
      this.#finished.push({ tool: call.tool, how, text });
      onNews(
        key,
        `The task of '${call.tool}' (server '${name}') ${how}; the model is told with your next prompt.`,
      );
    };
    end.then(
      result => tell(textOf(result), result.isError === true ? 'has failed' : 'is done'),
      error => tell(messageOf(error), 'has failed'),
    );
  }

  async #follow(
    { server, task }: TaskCall,
    asking: CallHooks,
    onState: (state: TaskState) => void,
  ): Promise<CallResult> {
    const { signal } = asking;
    const answers: TaskAnswers = { given: new Map(), sent: new Set() };
    // `state` is from before a failure: the server may have an answer that seemed to be lost.
    let isOld = false;
    const endsAt = performance.now() + Math.min(task.ttlMs ?? MAX_LIFE_MS, MAX_LIFE_MS);
    let state = task;
    let pauseMs = FIRST_POLL_MS;
    let failures = 0;
    while (true) {
      onState(state);
      if (state.status === 'failed') return await failureOf(server, state, signal);
      if (state.status === 'cancelled') throw new Error(`it was cancelled${reasonOf(state)}`);
      if (performance.now() > endsAt) throw new Error('it did not end in the time that its server keeps it');
      try {
        const connection = await server.connection();
        const hooks = { signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_LIMIT_MS)]) };
        const asks = state.status === 'input_required';
        // It waits for the user, which may take long, and whose question is its own.
        if (state.status === 'completed' || (asks && connection.era !== 'modern'))
          return await taskResult(connection, state, asks ? asking : hooks);
        if (asks && !isOld) await answerTask(connection, state, answers, asking);
        await sleep(pollPause(state.pollMs ?? pauseMs), undefined, { signal, ref: false });
        pauseMs = Math.min(pauseMs * 1.5, UNSUGGESTED_MAX_MS);
        state = await getTask(connection, task.id, {
          signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_LIMIT_MS)]),
        });
        failures = 0;
        isOld = false;
      } catch (error) {
        // One that the server answers tells more than the next poll would.
        if (signal.aborted || isAnswer(error) || ++failures >= MAX_FAILED_POLLS) throw error;
        isOld = true;
        await sleep(pollPause(pauseMs), undefined, { signal, ref: false });
      }
    }
  }

  #cancel({ server, task }: TaskCall): void {
    const told = async (): Promise<void> => {
      const connection = await server.connection();
      await cancelTask(connection, task.id, { signal: AbortSignal.timeout(REQUEST_LIMIT_MS) });
    };
    // The call is over for us; the server has the word, or is gone with its task.
    const cancelling: Promise<void> = told()
      .catch(() => undefined)
      .finally(() => this.#cancelling.delete(cancelling));
    this.#cancelling.add(cancelling);
  }
}

/** The server's own answer, or one that is wrong, rather than a lost connection. */
function isAnswer(error: unknown): boolean {
  return isServerAnswer(error) || (error instanceof Error && error.message.startsWith('the server '));
}

/**
 * The result of a failed task: in the older era a tool's error result has to be asked for like any other.
 * Throws Error with the reason if there is none.
 */
async function failureOf(server: ManagedServer, state: TaskState, signal: AbortSignal): Promise<CallResult> {
  const given = async (): Promise<CallResult | undefined> => {
    const connection = await server.connection();
    if (connection.era === 'modern') return undefined;
    const hooks = { signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_LIMIT_MS)]) };
    return await taskResult(connection, state, hooks);
  };
  // An error in its place says no more than the state does.
  const result = await given().catch(() => undefined);
  if (result !== undefined) return { ...result, isError: true };
  throw new Error(`it failed${reasonOf(state)}`);
}

function pollPause(wantedMs: number): number {
  return Math.min(Math.max(wantedMs, MIN_POLL_MS), MAX_POLL_MS);
}

function reasonOf({ error, message }: TaskState): string {
  const reason = error ?? message;
  return reason === undefined ? '' : `: ${reason}`;
}

function stillAtWork({ tool }: TaskCall, { message }: TaskState): string {
  const stands = message === undefined ? '' : ` It stands at: ${message.replace(/[.\s]+$/, '')}.`;
  return `The tool '${tool}' is still at work as a task.${stands} Do not call it again for this; its result will come with a later message of the user.`;
}

function text(value: string): CallResult {
  return { content: [{ type: 'text', text: value }] };
}

function asResult(result: CallResult): Ending {
  return { result };
}

function asFailure(failure: unknown): Ending {
  return { failure };
}

function failed({ tool }: TaskCall, failure: unknown): LlmHostError {
  return new LlmHostError('TOOL_FAILED', `Tool '${tool}' failed as a task: ${messageOf(failure)}`, {
    cause: failure,
  });
}

function timedOut({ tool }: TaskCall, timeoutMs: number): LlmHostError {
  const seconds = ((timeoutMs * MAX_EXTENSION) / 1000).toFixed(1);
  return new LlmHostError(
    'TOOL_TIMEOUT',
    `Tool '${tool}' timed out after ${seconds}s as a task, which was cancelled`,
  );
}

function tooMany({ tool }: TaskCall): LlmHostError {
  return new LlmHostError(
    'TOOL_FAILED',
    `Tool '${tool}' was cancelled: ${MAX_TASKS} tasks are running already`,
  );
}

type Ending = { readonly result: CallResult } | { readonly failure: unknown };

/** The time of a call whose task is waited for. It stands still while the user is asked. */
class TaskClock {
  readonly #signal: AbortSignal;
  readonly #options: CallOptions;
  /** undefined: the call is over, or has not begun. */
  #deadline: Deadline | undefined;

  /** `followed` aborts when the task is followed no more. */
  constructor(followed: AbortSignal, options: CallOptions) {
    this.#signal = AbortSignal.any([followed, ...(options.signal ? [options.signal] : [])]);
    this.#options = options;
  }

  /** The task starts or stops waiting for the user. */
  readonly setWaiting = (waiting: boolean): void => {
    if (this.#deadline === undefined) return;
    if (waiting) this.#deadline.pause();
    else this.#deadline.resume();
    this.#options.onWaiting?.(waiting);
  };

  /** How a task ends within its call's limit, or within the longer one of those that cannot go on in the background. */
  async inTime(end: Promise<CallResult>, timeoutMs: number): Promise<Ending | 'expired' | 'cancelled'> {
    const ending = end.then(asResult, asFailure);
    const { onLongTask } = this.#options;
    const outcome = await this.#within(ending, timeoutMs);
    if (outcome !== 'expired' || !onLongTask) return outcome;
    onLongTask(timeoutMs * MAX_EXTENSION);
    return await this.#within(ending, timeoutMs * (MAX_EXTENSION - 1));
  }

  async #within(ending: Promise<Ending>, ms: number): Promise<Ending | 'expired' | 'cancelled'> {
    const deadline = new Deadline(ms, { signal: this.#signal });
    this.#deadline = deadline;
    try {
      // Only the deadline rejects.
      return await deadline.race(ending).catch(() => (deadline.expired ? 'expired' : 'cancelled'));
    } finally {
      this.#deadline = undefined;
      deadline.dispose();
    }
  }
}

/** How a task stands. Throws Error if the answer is not about this task. */
async function getTask(connection: Connection, id: string, hooks: CallHooks): Promise<TaskState> {
  const task = readTask(
    await connection.ask(method(connection, 'get'), { taskId: id }, AnyResultSchema, hooks),
  );
  if (task.id !== id) throw new Error('the server answered for another task');
  return task;
}

/** The result of a completed task. In the older era this also waits for one that asks the user. */
async function taskResult(connection: Connection, task: TaskState, hooks: CallHooks): Promise<CallResult> {
  if (connection.era !== 'modern')
    return connection.ask('tasks/result', { taskId: task.id }, CallResultSchema, hooks);
  if (task.result === undefined) throw new Error('the server sent a completed task without a valid result');
  return task.result;
}

async function cancelTask(connection: Connection, id: string, hooks: CallHooks): Promise<void> {
  await connection.ask(method(connection, 'cancel'), { taskId: id }, AnyResultSchema, hooks);
}

/** Answers to the questions of a task, by the questions' keys. */
export interface TaskAnswers {
  /** The user's answers. */
  readonly given: Map<string, ElicitationAnswer>;
  /** The answers that the server has. */
  readonly sent: Set<string>;
}

/** Asks the user what the task wants to know, each question once; an answer that did not arrive is sent again. */
async function answerTask(
  connection: Connection,
  task: TaskState,
  { given, sent }: TaskAnswers,
  hooks: CallHooks,
): Promise<void> {
  for (const [key, request] of Object.entries(task.inputRequests)) {
    if (sent.has(key)) continue;
    const params = isPlainObject(request) && request.method === 'elicitation/create' ? request.params : {};
    const answer = given.get(key) ?? (await connection.answerQuestion(params, hooks));
    given.set(key, answer);
    const inputResponses = { [key]: answer };
    const update = { taskId: task.id, inputResponses };
    await connection.ask(method(connection, 'update'), update, AnyResultSchema, { signal: hooks.signal });
    sent.add(key);
  }
}

/** The names belong to an extension in the newer era. */
function method({ era }: Connection, name: 'get' | 'cancel' | 'update'): string {
  return `${era === 'modern' ? EXTENSION : ''}tasks/${name}`;
}
