import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { LlmHostError } from '../../errors.ts';
import { parseHubId } from '../../hub/hub-id.ts';
import { ApiError, badRequest, ofThrown, stopping as stoppedError } from '../http/api-error.ts';
import { readBody } from '../http/body-fields.ts';
import type { ModelStore, PullProgress } from '../http/model-store.ts';
import { onceClosed } from '../http/request-signal.ts';
import { ResponseStream } from '../http/response-stream.ts';
import type { ServeContext } from '../http/serve-context.ts';

/** Downloads at a time. */
const MAX_PULLS = 2;

const manageBody = z.looseObject({
  model: z.string().max(1000).nullish(),
  name: z.string().max(1000).nullish(),
  stream: z.boolean().nullish(),
});

const copyBody = z.looseObject({ source: z.string().max(1000), destination: z.string().max(1000) });

/** /api/pull, /api/delete and /api/copy, for servers whose clients may manage models. */
export function manageRoutes(app: FastifyInstance, context: ServeContext): void {
  const { modelStore } = context;
  if (!modelStore) {
    for (const path of ['pull', 'delete', 'copy']) {
      app.all(`/api/${path}`, () => {
        throw new ApiError(501, `Clients may not manage models here; /api/${path} needs --manage-models`);
      });
    }
    return;
  }
  /** Names of what is being downloaded. */
  const pulling: string[] = [];
  app.post('/api/pull', async (request, reply) => {
    const { stream, ...named } = readBody(manageBody, request.body);
    const name = nameOf(named);
    if (pulling.length >= MAX_PULLS)
      throw new ApiError(429, `${MAX_PULLS} models are being downloaded already`);
    pulling.push(name);
    try {
      return await pull(context, modelStore, { request, reply, name, stream: stream !== false });
    } finally {
      pulling.splice(pulling.indexOf(name), 1);
    }
  });
  app.delete('/api/delete', async (request, reply) => {
    const name = nameOf(readBody(manageBody, request.body));
    await remove(context, modelStore, name, pulling);
    return reply.code(200).send();
  });
  app.post('/api/copy', async (request, reply) => {
    const { source, destination } = readBody(copyBody, request.body);
    const id = knownId(context, source);
    const name = nameOf({ name: destination });
    if (context.models.idOf(name) !== undefined) throw new ApiError(409, `model '${name}' already exists`);
    await modelStore.copy(id, name).catch(error => {
      throw failureOf(error);
    });
    return reply.code(200).send();
  });
}

interface Pull {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly name: string;
  readonly stream: boolean;
}

/** Ends when the client goes away; the same request resumes. */
async function pull(
  { stopping, limits }: ServeContext,
  store: ModelStore,
  { request, reply, name, stream }: Pull,
): Promise<unknown> {
  const stop = new AbortController();
  const end = () => stop.abort();
  onceClosed(request, reply, end);
  stopping.addEventListener('abort', end);
  // An abort that happened earlier emits no further event.
  if (stopping.aborted || request.raw.socket.destroyed) end();
  const lines = stream ? new ResponseStream(reply.raw, 'application/x-ndjson', limits) : undefined;
  const tell = (line: object) => lines?.write(`${JSON.stringify(line)}\n`);
  try {
    if (stop.signal.aborted) throw new LlmHostError('CANCELLED', 'cancelled');
    await store.pull(name, stop.signal, progress => tell(progressLine(name, progress)));
    if (!lines) return { status: 'success' };
    tell({ status: 'success' });
  } catch (error) {
    const failure = stopping.aborted ? stoppedError() : failureOf(error);
    if (!lines?.begun) throw failure;
    tell({ error: failure.message });
  } finally {
    stopping.removeEventListener('abort', end);
  }
  reply.hijack();
  lines.end();
  return reply;
}

/** As Ollama says it; we count all files together. */
function progressLine(name: string, { doneBytes, totalBytes, checking }: PullProgress): object {
  if (checking) return { status: 'verifying sha256 digest' };
  return { status: `pulling ${name}`, digest: name, total: totalBytes, completed: doneBytes };
}

async function remove(
  { models }: ServeContext,
  store: ModelStore,
  name: string,
  pulling: readonly string[],
): Promise<void> {
  const id = knownId({ models }, name);
  const repo = parseHubId(id)?.repo;
  // A newer version, or another revision: it would be waited for, and deleted with the rest.
  if (repo !== undefined && pulling.some(one => parseHubId(one)?.repo === repo))
    throw new ApiError(409, `model '${id}' is being downloaded; it can be deleted when that has ended`);
  await models.removing(id, () =>
    store.remove(id).catch(error => {
      throw failureOf(error);
    }),
  );
}

function knownId({ models }: Pick<ServeContext, 'models'>, name: string): string {
  const id = models.idOf(name);
  if (id === undefined) throw new ApiError(404, `model '${name}' not found`);
  return id;
}

function nameOf({
  model,
  name,
}: {
  model?: string | null | undefined;
  name?: string | null | undefined;
}): string {
  const given = (model ?? name ?? '').replace(/:latest$/, '');
  if (given === '') throw badRequest('model: which one?', 'model');
  return given;
}

function failureOf(error: unknown): ApiError {
  if (!(error instanceof LlmHostError)) return ofThrown(error);
  const said = [error.message, error.hint].filter(Boolean).join('. ');
  return new ApiError({ USAGE: 400, MODEL_NOT_FOUND: 404 }[error.code as string] ?? 500, said);
}
