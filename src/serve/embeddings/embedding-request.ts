import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { badRequest } from '../http/api-error.ts';
import { clientOf, laneOf } from '../http/clients.ts';
import type { EmbedContext } from '../http/lease-model.ts';
import { requestSignal } from '../http/request-signal.ts';

/** Texts of a request. */
const MAX_TEXTS = 2048;

export function checkTextCount(count: number, param: string): void {
  if (count === 0) throw badRequest(`${param}: give at least one text`, param);
  if (count > MAX_TEXTS) throw badRequest(`${param}: ${count} texts; a request may have ${MAX_TEXTS}`, param);
}

/**
 * Runs `work`, which ends when its signal aborts, with a place in the queue. It waits for no slot: replies that are under
 * way take turns with it in the engine. Counts what it read. Throws ApiError, QueueFull, and what `work` throws.
 */
export async function embeddingRequest<T extends { readonly tokens: number }>(
  context: EmbedContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { texts, user }: { readonly texts: number; readonly user: string | undefined },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const client = clientOf(request);
  const place = context.queue.admit(laneOf(client, user, request.ip));
  const until = requestSignal(context, request, reply);
  try {
    const done = await work(until.signal);
    client.limit?.spent(done.tokens);
    context.metrics.embedded(texts, done.tokens);
    return done;
  } catch (error) {
    throw until.signal.aborted ? until.error() : error;
  } finally {
    until.close();
    place.leave();
  }
}

/** Items that are written at a time, so that other streams go on meanwhile. */
const AT_A_TIME = 32;

/** JSON of `{ ...before, [name]: items }`, written in pieces: a list of vectors has megabytes. */
export async function jsonWithList<T>(
  before: object,
  name: string,
  items: readonly T[],
  write: (item: T, index: number) => unknown,
): Promise<string> {
  const pieces: string[] = [];
  for (const [index, item] of items.entries()) {
    pieces.push(JSON.stringify(write(item, index)));
    if (index % AT_A_TIME === AT_A_TIME - 1) await nextTurn();
  }
  const head = JSON.stringify(before).slice(0, -1);
  return `${head}${head === '{' ? '' : ','}${JSON.stringify(name)}:[${pieces.join(',')}]}`;
}
