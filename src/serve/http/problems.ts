import type { FastifyRequest } from 'fastify';
import type { ApiError } from './api-error.ts';

const problems = new WeakMap<FastifyRequest, string>();

/** Keeps what the log should say about a failed request until its line is written. */
export function noteProblem(request: FastifyRequest, { problem }: ApiError): void {
  if (problem !== undefined) problems.set(request, problem);
}

export function problemOf(request: FastifyRequest): string | undefined {
  return problems.get(request);
}
