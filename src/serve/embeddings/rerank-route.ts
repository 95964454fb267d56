import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { leaseEmbedder } from '../http/lease-model.ts';
import { readBody } from '../http/read-body.ts';
import type { ServeContext } from '../http/serve-context.ts';
import { newId } from '../openai/model-object.ts';
import { checkTextCount, embeddingRequest } from './embedding-request.ts';

const rerankBody = z.looseObject({
  model: z.string().nullish(),
  query: z.string(),
  documents: z.array(z.union([z.string(), z.looseObject({ text: z.string() })])),
  top_n: z.number().int().min(1).nullish(),
  return_documents: z.boolean().nullish(),
  user: z.string().nullish(),
});

/** /v1/rerank, as Jina and Cohere have it. */
export function rerankRoute(app: FastifyInstance, context: ServeContext): void {
  for (const path of ['/v1/rerank', '/v2/rerank']) {
    app.post(path, async (request, reply) => {
      const body = readBody(rerankBody, request.body);
      const used = await leaseEmbedder(context, request, reply, body.model);
      const documents = body.documents.map(document =>
        typeof document === 'string' ? document : document.text,
      );
      checkTextCount(documents.length, 'documents');
      const asked = { texts: documents.length + 1, user: body.user ?? undefined };
      const { ranked, tokens } = await embeddingRequest(used, request, reply, asked, signal =>
        used.embedder.rank(body.query, documents, { topK: body.top_n ?? undefined, signal }),
      );
      return {
        id: newId('rerank-'),
        object: 'list',
        model: used.model.id,
        usage: { prompt_tokens: tokens, total_tokens: tokens },
        results: ranked.map(({ index, score, document }) => ({
          index,
          relevance_score: score,
          ...(body.return_documents === true && { document: { text: document } }),
        })),
      };
    });
  }
}
