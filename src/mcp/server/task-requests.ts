import { isPlainObject } from '../../text/json/plain-object.ts';
import { EXTENSION } from '../transport/wire-extensions.ts';
import type { CallHooks, Connection } from './connection.ts';
import type { ElicitationAnswer } from './elicitation.ts';
import { readTask, type TaskState } from './task-state.ts';
import { AnyResultSchema, type CallResult, CallResultSchema } from './wire-schemas.ts';

/** How a task stands. Throws Error if the answer is not about this task. */
export async function getTask(connection: Connection, id: string, hooks: CallHooks): Promise<TaskState> {
  const task = readTask(
    await connection.ask(method(connection, 'get'), { taskId: id }, AnyResultSchema, hooks),
  );
  if (task.id !== id) throw new Error('the server answered for another task');
  return task;
}

/** The result of a completed task. In the older era this also waits for one that asks the user. */
export async function taskResult(
  connection: Connection,
  task: TaskState,
  hooks: CallHooks,
): Promise<CallResult> {
  if (connection.era !== 'modern')
    return connection.ask('tasks/result', { taskId: task.id }, CallResultSchema, hooks);
  if (task.result === undefined) throw new Error('the server sent a completed task without a valid result');
  return task.result;
}

export async function cancelTask(connection: Connection, id: string, hooks: CallHooks): Promise<void> {
  await connection.ask(method(connection, 'cancel'), { taskId: id }, AnyResultSchema, hooks);
}

/** Of the questions of a task, by their keys. */
export interface TaskAnswers {
  /** What the user has said. */
  readonly given: Map<string, ElicitationAnswer>;
  /** Those that the server has. */
  readonly sent: Set<string>;
}

/** Asks the user what the task wants to know, each question once; an answer that did not arrive is sent again. */
export async function answerTask(
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
