import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { type GivenTexts, isGivenTexts, textList } from '../http/given-texts.ts';
import { leaseEmbedder } from '../http/lease-model.ts';
import { readBody } from '../http/read-body.ts';
import type { ServeContext } from '../http/serve-context.ts';
import { checkTextCount, embeddingRequest } from './embedding-request.ts';
import { jsonWithList } from './json-list.ts';

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
export function embedRoute(app: FastifyInstance, context: ServeContext): void {
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
