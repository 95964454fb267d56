import type { FastifyInstance } from 'fastify';
import { exchange } from '../http/exchange.ts';
import { toolsPolicyOf } from '../http/offered-tools.ts';
import { readBody } from '../http/read-body.ts';
import type { ServeContext } from '../http/serve-context.ts';
import { checkContext } from '../openai/check-context.ts';
import { checkModel, newId } from '../openai/model-object.ts';
import { MessagesFormat } from './format.ts';
import { countBody, messagesBody, toMessagesTurn } from './request.ts';

/** Anthropic's routes, under /v1/messages. */
export function anthropicRoutes(app: FastifyInstance, context: ServeContext): void {
  const { model, turns } = context;
  app.post('/v1/messages', async (request, reply) => {
    const body = readBody(messagesBody, request.body);
    checkModel(context, body.model);
    const policy = toolsPolicyOf(request.headers, context.toolsPolicy);
    const turn = turns.open(toMessagesTurn(body, context, policy));
    checkContext(turns, turn);
    return exchange(context, request, reply, {
      format: new MessagesFormat({ id: newId('msg_'), model: model.id }),
      ...{ stream: body.stream === true, user: body.metadata?.user_id ?? undefined },
      run: control => turn.run(control),
    });
  });
  app.post('/v1/messages/count_tokens', request => {
    const body = readBody(countBody, request.body);
    checkModel(context, body.model);
    const policy = toolsPolicyOf(request.headers, context.toolsPolicy);
    return { input_tokens: turns.open(toMessagesTurn(body, context, policy)).countTokens() };
  });
}
