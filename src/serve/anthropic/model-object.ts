import type { ServedModel } from '../http/serve-context.ts';

/** As listed by /v1/models for Anthropic's clients. */
export function anthropicModel({ id, created, contextLength }: ServedModel) {
  return {
    ...{ type: 'model' as const, id, display_name: id },
    created_at: new Date(created * 1000).toISOString(),
    ...{ max_input_tokens: contextLength, max_tokens: contextLength, capabilities: null },
    ...{ lifecycle: 'active' as const, line: null, deprecated_at: null, retires_at: null },
  };
}

export function anthropicModelList(model: ServedModel) {
  return { data: [anthropicModel(model)], first_id: model.id, last_id: model.id, has_more: false };
}
