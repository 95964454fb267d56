import { z } from 'zod';
import { isPlainObject } from '../../text/json/plain-object.ts';
import { TASK_MARK } from '../transport/wire-extensions.ts';
import { cleanLine, isCleanName, TEXT_LIMITS } from './incoming-text.ts';
import { type CallResult, CallResultSchema } from './wire-schemas.ts';

const STATUSES = ['working', 'input_required', 'completed', 'failed', 'cancelled'] as const;

const milliseconds = z.number().nonnegative().optional().catch(undefined);
/** Tasks of both eras: the newer one has the unit in the names, and the result inside. */
const TaskSchema = z.looseObject({
  taskId: z
    .string()
    .min(1)
    .refine(id => isCleanName(id)),
  status: z.enum(STATUSES),
  statusMessage: z.string().optional().catch(undefined),
  pollInterval: milliseconds,
  pollIntervalMs: milliseconds,
  ttl: milliseconds,
  ttlMs: milliseconds,
  result: CallResultSchema.optional().catch(undefined),
  error: z.looseObject({ message: z.string() }).optional().catch(undefined),
  inputRequests: z.record(z.string(), z.unknown()).optional().catch(undefined),
});

/** A call that its server works on by itself. */
export interface TaskState {
  readonly id: string;
  readonly status: (typeof STATUSES)[number];
  /** Where it stands, in the server's words. */
  readonly message: string | undefined;
  /** How long to wait before asking again, as the server suggests. */
  readonly pollMs: number | undefined;
  /** How long the server keeps it. */
  readonly ttlMs: number | undefined;
  /** The result of a completed task; in the older era it has to be asked for. */
  readonly result: CallResult | undefined;
  readonly error: string | undefined;
  /** Questions to the user, by keys that are used once. */
  readonly inputRequests: Readonly<Record<string, unknown>>;
}

/** Throws Error if it is not a task. */
export function readTask(value: unknown): TaskState {
  const parsed = TaskSchema.safeParse(value);
  if (!parsed.success) throw new Error('the server sent a task without a valid taskId and status');
  const task = parsed.data;
  const { statusMessage: message, error } = task;
  return {
    id: task.taskId,
    status: task.status,
    message: message === undefined ? undefined : cleanLine(message, TEXT_LIMITS.progress),
    pollMs: task.pollIntervalMs ?? task.pollInterval,
    ttlMs: task.ttlMs ?? task.ttl,
    result: task.result,
    error: error === undefined ? undefined : cleanLine(error.message, TEXT_LIMITS.error),
    inputRequests: task.inputRequests ?? {},
  };
}

/** The task that a call was answered with; undefined: it was answered with its result. */
export function startedTask(result: CallResult, asked: boolean): TaskState | undefined {
  if (result[TASK_MARK] === true) return readTask(result);
  return asked && isPlainObject(result.task) ? readTask(result.task) : undefined;
}
