import { setTimeout as sleep } from 'node:timers/promises';
import { ProtocolError } from '@modelcontextprotocol/client';
import { LlmHostError, messageOf } from '../errors.ts';
import { resultText } from './result-text.ts';
import type { ManagedServer } from './server/managed-server.ts';
import { answerTask, cancelTask, getTask, taskResult } from './server/task-requests.ts';
import type { TaskState } from './server/task-state.ts';
import type { CallResult } from './server/wire-schemas.ts';
import type { CallOptions } from './tool-host.ts';

/** Whatever the server suggests. */
const MIN_POLL_MS = 200;
const MAX_POLL_MS = 60_000;
/** Without a suggestion; then each time half as long again. */
const FIRST_POLL_MS = 300;
const UNSUGGESTED_MAX_MS = 5000;
const REQUEST_LIMIT_MS = 30_000;
/** Of polls that failed one after another, such as while the server restarts. */
const MAX_FAILED_POLLS = 5;
const MAX_LIFE_MS = 24 * 3_600_000;
/** In the background. */
const MAX_TASKS = 20;

/** A call that a server has made a task of. */
export interface TaskCall {
  readonly server: ManagedServer;
  /** The name of the tool that the model used. */
  readonly tool: string;
  readonly task: TaskState;
}

export interface TasksOptions {
  readonly maxResultChars: number;
  /** News for the user, in sentences. */
  readonly onNews: (key: string, message: string) => void;
}

/**
 * Follows tasks to their end. A call waits for its task for as long as for any call; then the task goes on in the
 * background, and what becomes of it is told to the model with the user's next prompt.
 */
export class Tasks {
  readonly #options: TasksOptions;
  readonly #closed = new AbortController();
  readonly #followed = new Set<string>();
  #background = 0;
  #finished: string[] = [];

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
    this.#followed.add(key);
    const stop = new AbortController();
    const { signal: caller } = options;
    const signal = AbortSignal.any([stop.signal, this.#closed.signal]);
    let latest = call.task;
    let polls = 0;
    const end = this.#follow(call, signal, state => {
      latest = state;
      if (!signal.aborted && state.message !== undefined)
        options.onProgress?.({ done: ++polls, message: state.message });
    }).finally(() => this.#followed.delete(key));
    const outcome = await Promise.race([end.then(asResult, asFailure), expiry(timeoutMs, caller, signal)]);
    if (typeof outcome === 'object') {
      if ('failure' in outcome) throw failed(call, outcome.failure);
      return outcome.result;
    }
    if (outcome === 'expired' && this.#background < MAX_TASKS) {
      this.#keep(call, end);
      const stands =
        latest.message === undefined ? '' : ` It stands at: ${latest.message.replace(/[.\s]+$/, '')}.`;
      return text(
        `The tool '${call.tool}' is still at work as a task.${stands} Do not call it again for this; its result will come with a later message of the user.`,
      );
    }
    stop.abort();
    end.catch(() => undefined);
    void this.#cancel(call);
    if (outcome === 'expired')
      throw new LlmHostError(
        'TOOL_FAILED',
        `Tool '${call.tool}' was cancelled: ${MAX_TASKS} tasks are running already`,
      );
    throw new LlmHostError('CANCELLED', `Tool '${call.tool}' was cancelled`);
  }

  /** What became of tasks in the background, for the model; told once. */
  takeFinished(): readonly string[] {
    return this.#finished.splice(0);
  }

  /** Follows none any more; their servers may go on with them. */
  close(): void {
    this.#closed.abort();
  }

  #keep(call: TaskCall, end: Promise<CallResult>): void {
    const { onNews, maxResultChars } = this.#options;
    const name = call.server.config.name;
    const key = `${name}\0task ${call.task.id}`;
    this.#background++;
    const tell = (text: string, how: string): void => {
      this.#background--;
      if (this.#closed.signal.aborted) return;
      this.#finished.push(`[The task of the tool '${call.tool}' ${how}]\n${text}`);
      onNews(
        key,
        `The task of '${call.tool}' (server '${name}') ${how}; the model is told with your next prompt.`,
      );
    };
    end.then(
      result => tell(resultText(result, maxResultChars), result.isError === true ? 'has failed' : 'is done'),
      error => tell(messageOf(error), 'has failed'),
    );
  }

  async #follow(
    { server, task }: TaskCall,
    signal: AbortSignal,
    onState: (state: TaskState) => void,
  ): Promise<CallResult> {
    const answered = new Set<string>();
    const endsAt = performance.now() + Math.min(task.ttlMs ?? MAX_LIFE_MS, MAX_LIFE_MS);
    let state = task;
    let pauseMs = FIRST_POLL_MS;
    let failures = 0;
    while (true) {
      onState(state);
      if (state.status === 'failed' || state.status === 'cancelled')
        throw new Error(`it ${state.status === 'failed' ? 'failed' : 'was cancelled'}${reasonOf(state)}`);
      if (performance.now() > endsAt) throw new Error('it did not end in the time that its server keeps it');
      try {
        const connection = await server.connection();
        const hooks = { signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_LIMIT_MS)]) };
        const asks = state.status === 'input_required';
        // It waits for the user, which may take long.
        if (state.status === 'completed' || (asks && connection.era !== 'modern'))
          return await taskResult(connection, state, asks ? { signal } : hooks);
        if (asks) await answerTask(connection, state, answered, { signal });
        await sleep(pollPause(state.pollMs ?? pauseMs), undefined, { signal, ref: false });
        pauseMs = Math.min(pauseMs * 1.5, UNSUGGESTED_MAX_MS);
        state = await getTask(connection, task.id, {
          signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_LIMIT_MS)]),
        });
        failures = 0;
      } catch (error) {
        // One that the server answers tells more than the next poll would.
        if (signal.aborted || isAnswer(error) || ++failures >= MAX_FAILED_POLLS) throw error;
        await sleep(pollPause(pauseMs), undefined, { signal, ref: false });
      }
    }
  }

  async #cancel({ server, task }: TaskCall): Promise<void> {
    try {
      const connection = await server.connection();
      await cancelTask(connection, task.id, { signal: AbortSignal.timeout(REQUEST_LIMIT_MS) });
    } catch {
      // The call is over for us; the server has the word, or is gone with its task.
    }
  }
}

/** The server's own answer, or one that is wrong, rather than a lost connection. */
function isAnswer(error: unknown): boolean {
  return (
    error instanceof ProtocolError || (error instanceof Error && error.message.startsWith('the server '))
  );
}

function pollPause(wantedMs: number): number {
  return Math.min(Math.max(wantedMs, MIN_POLL_MS), MAX_POLL_MS);
}

function reasonOf({ error, message }: TaskState): string {
  const reason = error ?? message;
  return reason === undefined ? '' : `: ${reason}`;
}

function text(value: string): CallResult {
  return { content: [{ type: 'text', text: value }] };
}

function asResult(result: CallResult): { readonly result: CallResult } {
  return { result };
}

function asFailure(failure: unknown): { readonly failure: unknown } {
  return { failure };
}

function failed({ tool }: TaskCall, failure: unknown): LlmHostError {
  return new LlmHostError('TOOL_FAILED', `Tool '${tool}' failed as a task: ${messageOf(failure)}`, {
    cause: failure,
  });
}

/** Resolves when the time is up or the caller cancels. */
async function expiry(
  ms: number,
  caller: AbortSignal | undefined,
  over: AbortSignal,
): Promise<'expired' | 'cancelled'> {
  const signal = caller === undefined ? over : AbortSignal.any([caller, over]);
  return await sleep(ms, 'expired' as const, { signal, ref: false }).catch(() => 'cancelled' as const);
}
