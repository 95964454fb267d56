import type { FastifyInstance } from 'fastify';
import { anthropicModel, anthropicModelList, otherAnthropicModel } from './anthropic/model-object.ts';
import { isAnthropic } from './api-errors.ts';
import { unknownModel } from './http/lease-model.ts';
import type { ServeContext, ServedModel } from './http/serve-context.ts';
import type { OtherModel } from './http/served-models.ts';
import { modelObject, otherModelObject } from './openai/model-object.ts';

/** /v1/models, which OpenAI's and Anthropic's clients ask in the same way and read differently. */
export function modelRoutes(app: FastifyInstance, context: ServeContext): void {
  const { models } = context;
  app.get('/v1/models', ({ headers }) => {
    const listed = describedModels(context);
    if (isAnthropic(headers)) return anthropicModelList(listed.map(shownToAnthropic));
    return { object: 'list', data: listed.map(shown) };
  });
  app.get<{ Params: { '*': string } }>('/v1/models/*', ({ headers, params: { '*': name } }) => {
    const id = models.idOf(name);
    const found = describedModels(context).find(one => one.id === id);
    if (!found) throw unknownModel(context, name);
    return isAnthropic(headers) ? shownToAnthropic(found) : shown(found);
  });
}

/** The first, then the others, with all that is known of those that are loaded. */
function describedModels({ models }: ServeContext): readonly (ServedModel | OtherModel)[] {
  const loaded = new Map(models.loaded().map(({ loaded: { model } }) => [model.id, model]));
  return [models.first.model, ...models.list().map(other => loaded.get(other.id) ?? other)];
}

const shown = (model: ServedModel | OtherModel) =>
  'contextLength' in model ? modelObject(model) : otherModelObject(model);

const shownToAnthropic = (model: ServedModel | OtherModel) =>
  'contextLength' in model ? anthropicModel(model) : otherAnthropicModel(model);
