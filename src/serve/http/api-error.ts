import type { FastifyRequest } from 'fastify';
import type { TurnEvent } from '../../agent/events/turn-event.ts';
import { QueueFull } from './generation-queue.ts';

/** Messages quote names out of requests, which may be as long as those. */
const MAX_CHARS = 1000;
const cut = (text: string) => (text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)} ...` : text);

/** An error for a client of either API. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** OpenAI's `code`; undefined: none. */
  readonly code: string | undefined;
  /** The offending field, if there is one. */
  readonly param: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** For the log only. */
  readonly problem: string | undefined;

  constructor(
    status: number,
    message: string,
    options: { code?: string; param?: string; retryAfterSeconds?: number; problem?: string } = {},
  ) {
    super(cut(message));
    this.status = status;
    this.code = options.code;
    this.param = options.param === undefined ? undefined : cut(options.param);
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.problem = options.problem;
  }
}

export function stopping(): ApiError {
  return new ApiError(503, 'The server is stopping', { code: 'stopping', retryAfterSeconds: 10 });
}

export function badRequest(message: string, param?: string): ApiError {
  return new ApiError(400, message, param === undefined ? {} : { param });
}

const STATUS_OF: Readonly<Record<string, number>> = {
  USAGE: 400,
  CONTEXT_FULL: 400,
  TEMPLATE: 400,
  ENGINE_UNAVAILABLE: 503,
  OUT_OF_MEMORY: 503,
};

/** The failure of a turn. Unexpected ones are described in the log only. */
export function ofTurnError({ code, message }: Extract<TurnEvent, { type: 'error' }>): ApiError {
  if (code === 'UNEXPECTED') return internalError(message);
  const status = STATUS_OF[code] ?? 500;
  if (code === 'CONTEXT_FULL') return new ApiError(status, message, { code: 'context_length_exceeded' });
  return new ApiError(status, message, { code: code.toLowerCase() });
}

/** Anything thrown while a request was handled. */
export function ofThrown(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof QueueFull) {
    return new ApiError(429, `${error.message}; try again in ${error.retryAfterSeconds} s`, {
      code: 'queue_full',
      retryAfterSeconds: error.retryAfterSeconds,
    });
  }
  const { statusCode, code, message } = error as { statusCode?: number; code?: string; message?: string };
  // The framework's own refusals: too large, not JSON, unsupported.
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new ApiError(statusCode, message ?? 'The request cannot be read', code ? { code } : {});
  }
  // A LlmHostError.
  if (code !== undefined && STATUS_OF[code] !== undefined) {
    return ofTurnError({ type: 'error', code, message: message ?? '' });
  }
  return internalError(error instanceof Error ? (error.stack ?? error.message) : String(error));
}

function internalError(problem: string): ApiError {
  return new ApiError(500, 'Unexpected error; look for the id in x-request-id in the log', {
    problem,
  });
}

const problems = new WeakMap<FastifyRequest, string>();

/** Keeps what the log should say about a failed request until its line is written. */
export function noteProblem(request: FastifyRequest, { problem }: ApiError): void {
  if (problem !== undefined) problems.set(request, problem);
}

export function problemOf(request: FastifyRequest): string | undefined {
  return problems.get(request);
}
