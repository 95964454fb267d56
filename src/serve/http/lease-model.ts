import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Embedder } from '../../embed/embedder.ts';
import { ApiError } from './api-error.ts';
import { onceClosed, requestSignal } from './request-signal.ts';
import { EVENT_STREAM, ResponseStream } from './response-stream.ts';
import type { ServeContext } from './serve-context.ts';

export interface LeaseOptions {
  /** How long the model stays loaded after the response. Default: as the pool has it. */
  readonly keepAliveMs?: number | undefined;
  /** The response is a stream of events, which begins while the model is loaded if that takes long. Default false. */
  readonly streams?: boolean | undefined;
}

/**
 * The context of the model that a request names, which stays loaded until the response is sent; without a name, the first
 * model's. Throws ApiError 404, 503, 504.
 */
export async function leaseModel(
  context: ServeContext,
  request: FastifyRequest,
  reply: FastifyReply,
  name: string | null | undefined,
  { keepAliveMs, streams = false }: LeaseOptions = {},
): Promise<ServeContext> {
  const { models } = context;
  if (name == null) return context;
  const id = models.idOf(name);
  if (id === undefined) throw unknownModel(context, name);
  if (id === models.first.model.id) return context;
  const lease = await leaseOf(context, request, reply, id, streams);
  if (request.raw.socket.destroyed) {
    lease.release(keepAliveMs);
    throw gone();
  }
  onceClosed(request, reply, () => lease.release(keepAliveMs));
  return { ...context, embedder: undefined, ...lease.loaded };
}

/** Waits no longer than the client does, than a request may take, and than the server runs. */
async function leaseOf(
  context: ServeContext,
  request: FastifyRequest,
  reply: FastifyReply,
  id: string,
  streams: boolean,
) {
  const until = requestSignal(context, request, reply);
  const alive = streams ? tellLoading(context, reply) : undefined;
  try {
    return await context.models.use(id, until.signal);
  } catch (error) {
    if (!until.signal.aborted) throw error;
    throw request.raw.socket.destroyed ? gone() : until.error();
  } finally {
    clearInterval(alive);
    until.close();
  }
}

/** Proxies and clients give up on what is silent, and a model may take minutes. */
function tellLoading({ limits }: ServeContext, { raw }: FastifyReply): NodeJS.Timeout {
  const stream = new ResponseStream(raw, EVENT_STREAM, limits);
  return setInterval(() => stream.write(': loading the model\n\n'), limits.keepAliveMs);
}

const gone = () => new ApiError(499, 'The client is gone');

/** As `leaseModel`, for a request that a model answers in words. Throws also ApiError 400: it is an embedding model. */
export async function leaseChatModel(...asked: Parameters<typeof leaseModel>): Promise<ServeContext> {
  const used = await leaseModel(...asked);
  if (!used.embedder) return used;
  const { id } = used.model;
  throw new ApiError(
    400,
    `The model '${id}' makes vectors of texts and does not chat; ask it for embeddings`,
    {
      code: 'model_not_supported',
      param: 'model',
    },
  );
}

/** As `leaseModel`, for vectors or a ranking. Throws also ApiError 400: it is a chat model. */
export async function leaseEmbedder(...asked: Parameters<typeof leaseModel>): Promise<EmbedContext> {
  const used = await leaseModel(...asked);
  const { embedder, model } = used;
  if (embedder) return { ...used, embedder };
  throw new ApiError(
    400,
    `The model '${model.id}' is a chat model and makes no vectors; name an embedding model`,
    {
      code: 'model_not_supported',
      param: 'model',
    },
  );
}

export type EmbedContext = ServeContext & { readonly embedder: Embedder };

export function unknownModel({ models }: Pick<ServeContext, 'models'>, name: string): ApiError {
  const ids = [models.first.model.id, ...models.list().map(({ id }) => id)];
  const shown = ids
    .slice(0, MAX_SHOWN)
    .map(id => `'${id}'`)
    .join(', ');
  const rest = ids.length > MAX_SHOWN ? ` and ${ids.length - MAX_SHOWN} more` : '';
  return new ApiError(404, `The model '${name}' does not exist; this server has ${shown}${rest}`, {
    code: 'model_not_found',
    param: 'model',
  });
}

const MAX_SHOWN = 5;
