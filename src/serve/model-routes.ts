import type { FastifyInstance } from 'fastify';
import { anthropicModel, anthropicModelList } from './anthropic/model-object.ts';
import { isAnthropic } from './api-errors.ts';
import type { ServeContext } from './http/serve-context.ts';
import { checkModel, modelObject } from './openai/model-object.ts';

/** /v1/models, which OpenAI's and Anthropic's clients ask in the same way and read differently. */
export function modelRoutes(app: FastifyInstance, context: ServeContext): void {
  const { model } = context;
  app.get('/v1/models', ({ headers }) =>
    isAnthropic(headers) ? anthropicModelList(model) : { object: 'list', data: [modelObject(context)] },
  );
  app.get<{ Params: { '*': string } }>('/v1/models/*', ({ headers, params }) => {
    checkModel(context, params['*']);
    return isAnthropic(headers) ? anthropicModel(model) : modelObject(context);
  });
}
