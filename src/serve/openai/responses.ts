import type { FastifyInstance } from 'fastify';
import { readBody } from '../http/body-fields.ts';
import { clientOf } from '../http/clients.ts';
import { exchange } from '../http/exchange.ts';
import { leaseChatModel } from '../http/lease-model.ts';
import { toolsPolicyOf } from '../http/offered-tools.ts';
import type { ServeContext } from '../http/serve-context.ts';
import { checkContext } from './check-context.ts';
import { KeptResponses, keptResponseRoutes } from './kept-responses.ts';
import { ResponsesFormat, responseHead } from './responses-format.ts';
import { responsesBody, toResponseTurn } from './responses-request.ts';

/** /v1/responses. */
export function responsesRoute(app: FastifyInstance, context: ServeContext): void {
  const kept = new KeptResponses();
  keptResponseRoutes(app, kept);
  app.post('/v1/responses', async (request, reply) => {
    const body = readBody(responsesBody, request.body);
    const used = await leaseChatModel(context, request, reply, body.model, { streams: body.stream === true });
    const { model, turns } = used;
    const { name: owner } = clientOf(request);
    const previous = kept.previous(owner, body.previous_response_id);
    const policy = toolsPolicyOf(request.headers, context.toolsPolicy);
    const asked = toResponseTurn(body, previous?.items ?? [], used, policy);
    const turn = turns.open(asked);
    if (asked.overflow === 'stop') checkContext(turns, turn, 'input');
    const format = new ResponsesFormat(responseHead(model.id, body), response => {
      if (body.store !== false) kept.add(owner, response, body.input, previous);
    });
    return exchange(context, request, reply, {
      format,
      stream: body.stream === true,
      user: body.user ?? undefined,
      run: control => turn.run(control),
    });
  });
}
