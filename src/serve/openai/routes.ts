import type { FastifyInstance } from 'fastify';
import { readBody } from '../http/body-fields.ts';
import { exchange } from '../http/exchange.ts';
import { leaseChatModel } from '../http/lease-model.ts';
import { toolsPolicyOf } from '../http/offered-tools.ts';
import type { ServeContext } from '../http/serve-context.ts';
import { openaiChatFormat } from './chat-format.ts';
import { chatBody, toTurn } from './chat-request.ts';
import { checkContext } from './check-context.ts';
import { completionRoute } from './completions.ts';
import { toMessages } from './messages.ts';
import { newId, now } from './model-object.ts';
import { responsesRoute } from './responses.ts';

/** OpenAI's routes, under /v1. */
export function openaiRoutes(app: FastifyInstance, context: ServeContext): void {
  completionRoute(app, context);
  responsesRoute(app, context);
  app.post('/v1/chat/completions', async (request, reply) => {
    const body = readBody(chatBody, request.body);
    const used = await leaseChatModel(context, request, reply, body.model, { streams: body.stream === true });
    const { model, turns } = used;
    const policy = toolsPolicyOf(request.headers, context.toolsPolicy);
    const asked = toTurn(body, toMessages(body.messages), used, policy);
    const turn = turns.open(asked);
    checkContext(turns, turn);
    const format = openaiChatFormat({
      id: newId('chatcmpl-'),
      model: model.id,
      created: now(),
      usage: body.stream_options?.include_usage === true,
      logprobs: body.logprobs === true,
    });
    return exchange(context, request, reply, {
      format,
      stream: body.stream === true,
      user: body.user ?? undefined,
      choices: body.n ?? 1,
      run: (control, choice) => (choice === 0 ? turn : turns.open({ ...asked, choice })).run(control),
    });
  });
}
