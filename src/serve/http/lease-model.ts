import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from './api-error.ts';
import { onceClosed } from './once-closed.ts';
import type { ServeContext } from './serve-context.ts';

/**
 * The context of the model that a request names, which stays loaded until the response is sent; without a name, the first
 * model's. `keepAliveMs`: for how long after that. Throws ApiError 404, 503.
 */
export async function leaseModel(
  context: ServeContext,
  request: FastifyRequest,
  reply: FastifyReply,
  name: string | null | undefined,
  keepAliveMs?: number,
): Promise<ServeContext> {
  const { models } = context;
  if (name == null) return context;
  const id = models.idOf(name);
  if (id === undefined) throw unknownModel(context, name);
  if (id === models.first.model.id) return context;
  const lease = await models.use(id);
  if (request.raw.socket.destroyed) {
    lease.release(keepAliveMs);
    throw new ApiError(499, 'The client is gone');
  }
  onceClosed(request, reply, () => lease.release(keepAliveMs));
  return { ...context, ...lease.loaded };
}

export function unknownModel({ models }: Pick<ServeContext, 'models'>, name: string): ApiError {
  const ids = [models.first.model.id, ...models.list().map(({ id }) => id)];
  const shown = ids
    .slice(0, MAX_SHOWN)
    .map(id => `'${id}'`)
    .join(', ');
  const rest = ids.length > MAX_SHOWN ? ` and ${ids.length - MAX_SHOWN} more` : '';
  return new ApiError(404, `The model '${name}' does not exist; this server has ${shown}${rest}`, {
    ...{ code: 'model_not_found', param: 'model' },
  });
}

const MAX_SHOWN = 5;
