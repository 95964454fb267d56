import type { FastifyInstance } from 'fastify';
import { readBody } from '../http/body-fields.ts';
import { exchange } from '../http/exchange.ts';
import { leaseChatModel } from '../http/lease-model.ts';
import { toolsPolicyOf } from '../http/offered-tools.ts';
import type { ServeContext } from '../http/serve-context.ts';
import { checkContext } from '../openai/check-context.ts';
import { newId } from '../openai/model-object.ts';
import { MessagesFormat } from './format.ts';
import { countBody, messagesBody, toMessagesTurn } from './request.ts';

/** Anthropic's routes, under /v1/messages. */
export function anthropicRoutes(app: FastifyInstance, context: ServeContext): void {
  app.post('/v1/messages', async (request, reply) => {
    const body = readBody(messagesBody, request.body);
    const used = await leaseChatModel(context, request, reply, body.model, { streams: body.stream === true });
    const { model, turns } = used;
    const policy = toolsPolicyOf(request.headers, context.toolsPolicy);
    const turn = turns.open(toMessagesTurn(body, used, policy));
    checkContext(turns, turn);
    return exchange(context, request, reply, {
      format: new MessagesFormat({ id: newId('msg_'), model: model.id }),
      stream: body.stream === true,
      user: body.metadata?.user_id ?? undefined,
      run: control => turn.run(control),
    });
  });
  app.post('/v1/messages/count_tokens', async (request, reply) => {
    const body = readBody(countBody, request.body);
    const used = await leaseChatModel(context, request, reply, body.model);
    const policy = toolsPolicyOf(request.headers, context.toolsPolicy);
    return { input_tokens: used.turns.open(toMessagesTurn(body, used, policy)).countTokens() };
  });
}
