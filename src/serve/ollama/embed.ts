import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { checkTextCount, embeddingRequest } from '../embeddings/embedding-request.ts';
import { jsonWithList } from '../embeddings/json-list.ts';
import type { EmbedContext } from '../http/lease-model.ts';

const shared = {
  model: z.string().min(1),
  keep_alive: z.union([z.string(), z.number()]).nullish(),
};

export const embedBody = z.looseObject({
  ...shared,
  input: z.union([z.string(), z.array(z.string())]).nullish(),
  truncate: z.boolean().nullish(),
  dimensions: z.number().int().min(0).nullish(),
});

export const embeddingsBody = z.looseObject({ ...shared, prompt: z.string().nullish() });

/** /api/embed. A request without a text only loads the model. */
export async function embed(
  context: EmbedContext,
  request: FastifyRequest,
  reply: FastifyReply,
  body: z.infer<typeof embedBody>,
): Promise<FastifyReply> {
  const started = performance.now();
  const texts = [body.input ?? []].flat().filter((text, _, all) => text !== '' || all.length > 1);
  if (texts.length > 0) checkTextCount(texts.length, 'input');
  const asked = { texts: texts.length, user: undefined };
  const options = { dimensions: body.dimensions || undefined, truncate: body.truncate ?? true };
  const { vectors, tokens } = await embeddingRequest(context, request, reply, asked, signal =>
    context.embedder.embed(texts, { ...options, signal }),
  );
  const nanoseconds = Math.round((performance.now() - started) * 1e6);
  const head = {
    model: context.model.id,
    total_duration: nanoseconds,
    load_duration: 0,
    prompt_eval_count: tokens,
  };
  const json = await jsonWithList(head, 'embeddings', vectors, vector => Array.from(vector));
  return reply.type('application/json').send(json);
}

/** /api/embeddings, which came before it: one text, and its vector as the model gives it. */
export async function embedPrompt(
  context: EmbedContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { prompt }: z.infer<typeof embeddingsBody>,
): Promise<object> {
  if (!prompt) return { embedding: [] };
  const asked = { texts: 1, user: undefined };
  const { vectors } = await embeddingRequest(context, request, reply, asked, signal =>
    context.embedder.embed([prompt], { normalize: false, signal }),
  );
  return { embedding: Array.from(vectors[0] ?? []) };
}
