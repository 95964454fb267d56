import type { FastifyInstance } from 'fastify';
import { isAnthropic } from './api-errors.ts';
import { unknownModel } from './http/lease-model.ts';
import type { ServeContext } from './http/serve-context.ts';
import type { OtherModel, ServedModel } from './http/served-models.ts';
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

/** As listed by /v1/models for Anthropic's clients. */
export function anthropicModel({
  id,
  created,
  contextLength,
}: Pick<ServedModel, 'id' | 'created' | 'contextLength'>) {
  return {
    type: 'model' as const,
    id,
    display_name: id,
    created_at: new Date(created * 1000).toISOString(),
    max_input_tokens: contextLength as number | null,
    max_tokens: contextLength as number | null,
    capabilities: null,
    lifecycle: 'active' as const,
    line: null,
    deprecated_at: null,
    retires_at: null,
  };
}

/** One that is not loaded, so that less is known of it. */
function otherAnthropicModel({ id, modifiedMs = 0 }: OtherModel): ReturnType<typeof anthropicModel> {
  const unknown = { max_input_tokens: null, max_tokens: null };
  return { ...anthropicModel({ id, created: modifiedMs / 1000, contextLength: 0 }), ...unknown };
}

function anthropicModelList(data: readonly ReturnType<typeof anthropicModel>[]) {
  return { data, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null, has_more: false };
}
