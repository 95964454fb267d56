import { LlmHostError, messageOf } from '../../errors.ts';
import type { CallHooks, Connection } from '../server/connection.ts';
import { Deadline } from '../server/deadline.ts';
import type { ManagedServer } from '../server/managed-server.ts';
import { quoteTail } from '../server/start-fault.ts';
import type { CallOptions } from '../tool-host.ts';
import { isServerAnswer } from '../transport/json-rpc.ts';

/** Progress extends a call up to this many times its limit, as does a task. */
export const MAX_EXTENSION = 10;

/** A request to a server, described for messages. */
export interface ServerCall<T> {
  readonly server: ManagedServer;
  /** Starts a message: `Tool 'add'`. */
  readonly subject: string;
  /** Ends a message: `the call of 'add'`. */
  readonly action: string;
  readonly run: (connection: Connection, hooks: CallHooks) => Promise<T>;
}

/**
 * Runs a request within its time limit. Progress restarts the clock, a question to the user stops it. Throws
 * LlmHostError TOOL_TIMEOUT, CANCELLED or TOOL_FAILED.
 */
export async function callServer<T>(call: ServerCall<T>, options: CallOptions): Promise<T> {
  const { server } = call;
  // The entry's own limit wins.
  const timeoutMs = server.config.timeoutMs ?? options.timeoutMs;
  const deadline = new Deadline(timeoutMs, { signal: options.signal, maxMs: timeoutMs * MAX_EXTENSION });
  let connection: Connection | undefined;
  try {
    connection = await deadline.race(server.connection());
    const result = await call.run(connection, hooksOf(deadline, options));
    server.noteSuccess();
    return result;
  } catch (error) {
    if (deadline.expired) {
      if (connection !== undefined) server.noteTimeout();
      const seconds = (deadline.reachedMs / 1000).toFixed(1);
      throw new LlmHostError('TOOL_TIMEOUT', `${call.subject} timed out after ${seconds}s`);
    }
    if (deadline.signal.aborted) throw new LlmHostError('CANCELLED', `${call.subject} was cancelled`);
    throw failureOf(call, error, connection);
  } finally {
    deadline.dispose();
  }
}

function hooksOf(deadline: Deadline, { onProgress, onWaiting }: CallOptions): CallHooks {
  return {
    signal: deadline.signal,
    onWaiting: waiting => {
      if (waiting) deadline.pause();
      else deadline.resume();
      onWaiting?.(waiting);
    },
    // Always requested: it tells a long call from a hanging one.
    onProgress: ({ progress, total, message }) => {
      deadline.extend();
      onProgress?.({
        done: progress,
        ...(total === undefined ? {} : { total }),
        ...(message === undefined ? {} : { message }),
      });
    },
  };
}

function failureOf(
  { server, subject, action }: ServerCall<unknown>,
  error: unknown,
  connection: Connection | undefined,
): LlmHostError {
  if (error instanceof LlmHostError) return error;
  const ending = connection?.ending;
  if (ending !== undefined && !isServerAnswer(error)) {
    const text = `server '${server.config.name}' ${ending} during ${action}`;
    return new LlmHostError('TOOL_FAILED', `${text}${quoteTail(connection?.stderrTail ?? '')}`, {
      cause: error,
    });
  }
  return new LlmHostError('TOOL_FAILED', `${subject} failed: ${messageOf(error)}`, { cause: error });
}
