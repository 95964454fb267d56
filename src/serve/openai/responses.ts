import type { FastifyInstance } from 'fastify';
import { exchange } from '../http/exchange.ts';
import { toolsPolicyOf } from '../http/offered-tools.ts';
import { readBody } from '../http/read-body.ts';
import type { ServeContext } from '../http/serve-context.ts';
import { checkContext } from './check-context.ts';
import { checkModel } from './model-object.ts';
import { responseHead } from './response-object.ts';
import { ResponsesFormat } from './responses-format.ts';
import { responsesBody, toResponseTurn } from './responses-request.ts';

/** /v1/responses. Nothing is stored: clients send the whole conversation each time. */
export function responsesRoute(app: FastifyInstance, context: ServeContext): void {
  const { model, turns } = context;
  app.post('/v1/responses', async (request, reply) => {
    const body = readBody(responsesBody, request.body);
    checkModel(context, body.model);
    const asked = toResponseTurn(body, context, toolsPolicyOf(request.headers, context.toolsPolicy));
    const turn = turns.open(asked);
    if (asked.overflow === 'stop') checkContext(turns, turn, 'input');
    return exchange(context, request, reply, {
      format: new ResponsesFormat(responseHead(model.id, body)),
      ...{ stream: body.stream === true, user: body.user ?? undefined },
      run: control => turn.run(control),
    });
  });
}
