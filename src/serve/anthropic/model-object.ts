import type { ServedModel } from '../http/serve-context.ts';
import type { OtherModel } from '../http/served-models.ts';

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
export function otherAnthropicModel({ id, modifiedMs = 0 }: OtherModel): ReturnType<typeof anthropicModel> {
  const unknown = { max_input_tokens: null, max_tokens: null };
  return { ...anthropicModel({ id, created: modifiedMs / 1000, contextLength: 0 }), ...unknown };
}

export function anthropicModelList(data: readonly ReturnType<typeof anthropicModel>[]) {
  return { data, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null, has_more: false };
}
