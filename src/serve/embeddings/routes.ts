import type { FastifyInstance } from 'fastify';
import type { ServeContext } from '../http/serve-context.ts';
import { embedRoute } from './embed-route.ts';
import { rerankRoute } from './rerank-route.ts';

/** /v1/embeddings and /v1/rerank. */
export function embeddingRoutes(app: FastifyInstance, context: ServeContext): void {
  embedRoute(app, context);
  rerankRoute(app, context);
}
