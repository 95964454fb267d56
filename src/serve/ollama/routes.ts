import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ApiError } from '../http/api-error.ts';
import { exchange } from '../http/exchange.ts';
import { toolsPolicyOf } from '../http/offered-tools.ts';
import { readBody } from '../http/read-body.ts';
import type { ServeContext } from '../http/serve-context.ts';
import { matchesModel } from '../http/served-name.ts';
import { ollamaFormat } from './formats.ts';
import { OLLAMA_API_VERSION, runningOf, showOf, tagOf } from './model-info.ts';
import { chatBody, generateBody, toCompletion, toPromptTurn, toTurn } from './requests.ts';

const showBody = z.looseObject({ model: z.string().nullish(), name: z.string().nullish() });
/** Routes that would change models, which this server does not do. */
const REFUSED = ['create', 'copy', 'delete', 'pull', 'push', 'embed', 'embeddings', 'blobs/:digest'];

/** Ollama's routes, under /api. */
export function ollamaRoutes(app: FastifyInstance, context: ServeContext): void {
  const { model, turns } = context;
  app.get('/api/version', () => ({ version: OLLAMA_API_VERSION }));
  app.get('/api/tags', () => ({ models: [tagOf(model)] }));
  app.get('/api/ps', () => ({ models: [runningOf(model)] }));
  app.post('/api/show', request => {
    const body = readBody(showBody, request.body);
    checkModel(context, body.model ?? body.name ?? '');
    return showOf(model, turns.samplingText(), model.template !== '');
  });
  app.post('/api/chat', async (request, reply) => {
    const body = readBody(chatBody, request.body);
    checkModel(context, body.model);
    if ((body.messages ?? []).length === 0)
      return loaded(model.id, { message: { role: 'assistant', content: '' } });
    const turn = toTurn(body, context, toolsPolicyOf(request.headers, context.toolsPolicy));
    return exchange(context, request, reply, {
      ...{ format: ollamaFormat(model.id, 'chat'), stream: body.stream !== false, user: undefined },
      run: control => turns.open(turn).run(control),
    });
  });
  app.post('/api/generate', async (request, reply) => {
    const body = readBody(generateBody, request.body);
    checkModel(context, body.model);
    if (!body.prompt) return loaded(model.id, { response: '' });
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
  for (const path of REFUSED) {
    app.all(`/api/${path}`, () => {
      throw new ApiError(
        501,
        `llm-host serves the one model it was started with; /api/${path} is not supported`,
      );
    });
  }
}

/** What Ollama answers to a request without a prompt, which only loads the model. */
function loaded(model: string, body: object): object {
  return { model, created_at: new Date().toISOString(), ...body, done: true, done_reason: 'load' };
}

function checkModel({ model }: ServeContext, name: string): void {
  if (!matchesModel(model.id, name)) throw new ApiError(404, `model '${name}' not found`);
}
