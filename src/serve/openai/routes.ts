import type { FastifyInstance } from 'fastify';
import { badRequest } from '../http/api-error.ts';
import { exchange } from '../http/exchange.ts';
import { readBody } from '../http/read-body.ts';
import type { ServeContext } from '../http/serve-context.ts';
import { openaiChatFormat } from './chat-format.ts';
import { chatBody, toTurn } from './chat-request.ts';
import { checkContext } from './check-context.ts';
import { completionRoute } from './completions.ts';
import { toMessages } from './messages.ts';
import { checkModel, modelObject, newId, now } from './model-object.ts';
import { responsesRoute } from './responses.ts';

/** OpenAI's routes, under /v1. */
export function openaiRoutes(app: FastifyInstance, context: ServeContext): void {
  const { model, turns } = context;
  completionRoute(app, context);
  responsesRoute(app, context);
  app.get('/v1/models', () => ({ object: 'list', data: [modelObject(context)] }));
  app.get<{ Params: { '*': string } }>('/v1/models/*', request => {
    checkModel(context, request.params['*']);
    return modelObject(context);
  });
  app.post('/v1/chat/completions', async (request, reply) => {
    const body = readBody(chatBody, request.body);
    checkModel(context, body.model);
    const asked = toTurn(body, toMessages(body.messages), context);
    const turn = turns.open({ ...asked, ours: wantsOurTools(request.headers['x-llm-host-tools']) });
    checkContext(turns, turn);
    const format = openaiChatFormat({
      ...{ id: newId('chatcmpl-'), model: model.id, created: now() },
      usage: body.stream_options?.include_usage === true,
      logprobs: body.logprobs === true,
    });
    return exchange(context, request, reply, {
      ...{ format, stream: body.stream === true, user: body.user ?? undefined },
      run: control => turn.run(control),
    });
  });
}

/** `x-llm-host-tools: own`: the request's own tools only; `all`, as without it: ours join. Throws ApiError 400. */
function wantsOurTools(header: string | string[] | undefined): boolean {
  if (header === undefined || header === 'all') return true;
  if (header === 'own') return false;
  throw badRequest("x-llm-host-tools must be 'all' or 'own'", 'x-llm-host-tools');
}
