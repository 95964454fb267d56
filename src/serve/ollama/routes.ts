import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { checkTextCount, embeddingRequest, jsonWithList } from '../embeddings/embedding-request.ts';
import { ApiError, badRequest } from '../http/api-error.ts';
import { readBody } from '../http/body-fields.ts';
import { exchange } from '../http/exchange.ts';
import { type EmbedContext, type LeaseOptions, leaseChatModel, leaseEmbedder } from '../http/lease-model.ts';
import { toolsPolicyOf } from '../http/offered-tools.ts';
import type { ServeContext } from '../http/serve-context.ts';
import { ollamaFormat } from './formats.ts';
import { manageRoutes } from './manage-routes.ts';
import { OLLAMA_API_VERSION, otherShowOf, otherTagOf, runningOf, showOf, tagOf } from './model-info.ts';
import { chatBody, generateBody, toCompletion, toPromptTurn, toTurn } from './requests.ts';

const showBody = z.looseObject({ model: z.string().nullish(), name: z.string().nullish() });
/** Routes for what this server does not do. */
const REFUSED = ['create', 'push', 'blobs/:digest'];

/** Ollama's routes, under /api. */
export function ollamaRoutes(app: FastifyInstance, context: ServeContext): void {
  const { models } = context;
  app.get('/api/version', () => ({ version: OLLAMA_API_VERSION }));
  app.get('/api/tags', () => {
    const loaded = new Map(models.loaded().map(one => [one.loaded.model.id, one.loaded.model]));
    const others = models.list().map(other => {
      const model = loaded.get(other.id);
      return model ? tagOf(model) : otherTagOf(other);
    });
    return { models: [tagOf(models.first.model), ...others] };
  });
  app.get('/api/ps', () => ({
    models: [
      runningOf(models.first.model),
      ...models.loaded().map(({ loaded, expires }) => runningOf(loaded.model, expires)),
    ],
  }));
  app.post('/api/show', async request => {
    const body = readBody(showBody, request.body);
    const id = idOf(context, body.model ?? body.name ?? '');
    const running = [models.first, ...models.loaded().map(({ loaded }) => loaded)];
    const found = running.find(({ model }) => model.id === id);
    if (!found) return otherShowOf(id);
    if (found.embedder) return showOf(found.model, '', ['embedding']);
    const tools = found.model.template !== '' ? ['tools'] : [];
    return showOf(found.model, found.turns.samplingText(), ['completion', ...tools]);
  });
  app.post('/api/chat', async (request, reply) => {
    const body = readBody(chatBody, request.body);
    const empty = (body.messages ?? []).length === 0;
    const unloaded = empty ? unload(context, body) : undefined;
    if (unloaded !== undefined) return doneAnswer(unloaded, 'unload', EMPTY_MESSAGE);
    const used = await use(context, request, reply, body);
    const { id } = used.model;
    if (empty) return doneAnswer(id, 'load', EMPTY_MESSAGE);
    const turn = toTurn(body, used, toolsPolicyOf(request.headers, context.toolsPolicy));
    return exchange(context, request, reply, {
      format: ollamaFormat(id, 'chat'),
      stream: body.stream !== false,
      user: undefined,
      run: control => used.turns.open(turn).run(control),
    });
  });
  app.post('/api/generate', async (request, reply) => {
    const body = readBody(generateBody, request.body);
    const unloaded = body.prompt ? undefined : unload(context, body);
    if (unloaded !== undefined) return doneAnswer(unloaded, 'unload', EMPTY_RESPONSE);
    const { model, turns } = await use(context, request, reply, body);
    if (!body.prompt) return doneAnswer(model.id, 'load', EMPTY_RESPONSE);
    const exchanged = {
      format: ollamaFormat(model.id, 'generate'),
      stream: body.stream !== false,
      user: undefined,
    };
    if (body.raw) {
      const completion = toCompletion(body);
      return exchange(context, request, reply, {
        ...exchanged,
        verbatim: true,
        run: control => turns.complete(completion, control),
      });
    }
    const turn = toPromptTurn(body);
    return exchange(context, request, reply, {
      ...exchanged,
      run: control => turns.open(turn).run(control),
    });
  });
  app.post('/api/embed', async (request, reply) => {
    const body = readBody(embedBody, request.body);
    const used = await leaseEmbedder(context, request, reply, ...leased(context, body));
    return embed(used, request, reply, body);
  });
  app.post('/api/embeddings', async (request, reply) => {
    const body = readBody(embeddingsBody, request.body);
    const used = await leaseEmbedder(context, request, reply, ...leased(context, body));
    return embedPrompt(used, request, reply, body);
  });
  manageRoutes(app, context);
  for (const path of REFUSED) {
    app.all(`/api/${path}`, () => {
      throw new ApiError(501, `llm-host does not have /api/${path}`);
    });
  }
}

const EMPTY_MESSAGE = { message: { role: 'assistant', content: '' } };
const EMPTY_RESPONSE = { response: '' };

/** Ollama's answer to a request without a prompt, which only loads the model or closes it. */
function doneAnswer(model: string, reason: 'load' | 'unload', body: object): object {
  return { model, created_at: new Date().toISOString(), ...body, done: true, done_reason: reason };
}

/** Closes the model if `keep_alive` is 0, for requests without a prompt; undefined if it stays, as the first one does. */
function unload(context: ServeContext, named: Named): string | undefined {
  const [id, { keepAliveMs: keepAlive }] = leased(context, named);
  if (keepAlive !== 0 || id === context.models.first.model.id) return undefined;
  context.models.unload(id);
  return id;
}

/** In Ollama's words. */
function idOf({ models }: ServeContext, name: string): string {
  const id = models.idOf(name);
  if (id === undefined) throw new ApiError(404, `model '${name}' not found`);
  return id;
}

interface Named {
  readonly model: string;
  readonly keep_alive?: string | number | null | undefined;
}

function use(context: ServeContext, request: FastifyRequest, reply: FastifyReply, named: Named) {
  return leaseChatModel(context, request, reply, ...leased(context, named));
}

function leased(context: ServeContext, { model, keep_alive }: Named): [string, LeaseOptions] {
  return [idOf(context, model), { keepAliveMs: keepAliveMs(keep_alive) }];
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/**
 * Milliseconds of `keep_alive`: seconds, or a text such as `5m` or `1h30m`; negative: without end. Undefined: not given.
 * Throws ApiError 400.
 */
export function keepAliveMs(given: string | number | null | undefined): number | undefined {
  if (given == null) return undefined;
  const text = String(given).trim();
  const parts = [...text.replace(/^[+-]/, '').matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  const ms = /^[+-]?\d+(\.\d+)?$/.test(text)
    ? Math.abs(Number(text)) * 1000
    : parts.reduce((sum, [, amount, unit = 's']) => sum + Number(amount) * (UNITS[unit] ?? 0), 0);
  const isDuration = /^[+-]?(\d+(\.\d+)?(ms|s|m|h))+$/.test(text) || /^[+-]?\d+(\.\d+)?$/.test(text);
  if (!isDuration)
    throw badRequest(
      `keep_alive: a duration such as 5m, or seconds, not '${text.slice(0, 40)}'`,
      'keep_alive',
    );
  return text.startsWith('-') ? Number.POSITIVE_INFINITY : ms;
}

const shared = {
  model: z.string().min(1),
  keep_alive: z.union([z.string(), z.number()]).nullish(),
};

const embedBody = z.looseObject({
  ...shared,
  input: z.union([z.string(), z.array(z.string())]).nullish(),
  truncate: z.boolean().nullish(),
  dimensions: z.number().int().min(0).nullish(),
});

const embeddingsBody = z.looseObject({ ...shared, prompt: z.string().nullish() });

/** /api/embed. A request without a text only loads the model. */
async function embed(
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
async function embedPrompt(
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
