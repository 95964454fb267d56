import { randomBytes } from 'node:crypto';
import { ApiError } from '../http/api-error.ts';
import type { ServeContext } from '../http/serve-context.ts';
import { matchesModel } from '../http/served-name.ts';

/** A request without a model means the one we serve. */
export function checkModel({ model }: ServeContext, name: string | null | undefined): void {
  if (name == null || matchesModel(model.id, name)) return;
  throw new ApiError(404, `The model '${name}' does not exist; this server has '${model.id}'`, {
    ...{ code: 'model_not_found', param: 'model' },
  });
}

/** `prefix` includes the separator: `chatcmpl-`, `resp_`. */
export function newId(prefix: string): string {
  return `${prefix}${randomBytes(12).toString('hex')}`;
}

export function now(): number {
  return Math.floor(Date.now() / 1000);
}

/** As listed by /v1/models. */
export function modelObject({ model }: ServeContext) {
  return {
    ...{ id: model.id, object: 'model', created: model.created, owned_by: 'llm-host' },
    ...{ context_length: model.contextLength, thinking: model.thinks },
  };
}
