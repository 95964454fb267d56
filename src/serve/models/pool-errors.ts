import { messageOf } from '../../errors.ts';
import { ApiError } from '../http/api-error.ts';

/** The reason is for the log: it may name files of this machine. */
export function cannotLoad(id: string, error: unknown): ApiError {
  return new ApiError(500, `The model '${id}' cannot be loaded; look for the id in x-request-id in the log`, {
    code: 'model_not_loaded',
    problem: messageOf(error),
  });
}

/** `busy`: the ids of those that are in use. */
export function noRoom(id: string, why: string, busy: readonly string[]): ApiError {
  const others = busy.length > 0 ? `; in use: ${busy.join(', ')}` : '';
  return new ApiError(503, `There is no room for the model '${id}': ${why}${others}`, {
    code: 'no_room',
    retryAfterSeconds: 10,
  });
}

export function beingRemoved(id: string): ApiError {
  return new ApiError(409, `The model '${id}' is being deleted`, { code: 'model_being_deleted' });
}

export function stillLoaded(id: string): ApiError {
  return new ApiError(409, `model '${id}' is loaded; it can be deleted when it is not`, {
    code: 'model_loaded',
  });
}

/** Nobody is there to read it. */
export function nobodyWaits(id: string): ApiError {
  return new ApiError(499, `Nobody waits for the model '${id}' any longer`);
}
