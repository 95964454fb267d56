import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { type GivenTexts, isGivenTexts, readBody, textList } from '../http/body-fields.ts';
import { leaseEmbedder } from '../http/lease-model.ts';
import type { ServeContext } from '../http/serve-context.ts';
import { newId } from '../openai/model-object.ts';
import { checkTextCount, embeddingRequest, jsonWithList } from './embedding-request.ts';

/** /v1/embeddings and /v1/rerank. */
export function embeddingRoutes(app: FastifyInstance, context: ServeContext): void {
  embedRoute(app, context);
  rerankRoute(app, context);
}

const embeddingsBody = z.looseObject({
  model: z.string().nullish(),
  input: z.custom<GivenTexts>(isGivenTexts, 'must be a text, its tokens, or a list of either'),
  encoding_format: z.enum(['float', 'base64']).nullish(),
  dimensions: z.number().int().min(1).nullish(),
  /** Not OpenAI's: cut texts that are too long, instead of refusing them. */
  truncate: z.boolean().nullish(),
  /** Not OpenAI's: one of the model's prompts, such as `query`, to be put before the texts. */
  prompt_name: z.string().nullish(),
  user: z.string().nullish(),
});

/** /v1/embeddings, as OpenAI has it. */
function embedRoute(app: FastifyInstance, context: ServeContext): void {
  app.post('/v1/embeddings', async (request, reply) => {
    const body = readBody(embeddingsBody, request.body);
    const used = await leaseEmbedder(context, request, reply, body.model);
    const texts = textList(body.input);
    checkTextCount(texts.length, 'input');
    const options = {
      dimensions: body.dimensions ?? undefined,
      truncate: body.truncate ?? false,
      prompt: body.prompt_name ?? undefined,
    };
    const asked = { texts: texts.length, user: body.user ?? undefined };
    const { vectors, tokens } = await embeddingRequest(used, request, reply, asked, signal =>
      used.embedder.embed(texts, { ...options, signal }),
    );
    const head = {
      object: 'list',
      model: used.model.id,
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    };
    const written = body.encoding_format === 'base64' ? base64 : (vector: Float32Array) => Array.from(vector);
    const json = await jsonWithList(head, 'data', vectors, (vector, index) => ({
      object: 'embedding',
      index,
      embedding: written(vector),
    }));
    return reply.type('application/json').send(json);
  });
}

/** Encodes the numbers as float32, the lowest byte first. */
function base64({ buffer, byteOffset, byteLength }: Float32Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}

const rerankBody = z.looseObject({
  model: z.string().nullish(),
  query: z.string(),
  documents: z.array(z.union([z.string(), z.looseObject({ text: z.string() })])),
  top_n: z.number().int().min(1).nullish(),
  return_documents: z.boolean().nullish(),
  user: z.string().nullish(),
});

/** /v1/rerank, as Jina and Cohere have it. */
function rerankRoute(app: FastifyInstance, context: ServeContext): void {
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
