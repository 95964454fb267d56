import { randomBytes } from 'node:crypto';
import type { OtherModel, ServedModel } from '../http/served-models.ts';

/** `prefix` includes the separator: `chatcmpl-`, `resp_`. */
export function newId(prefix: string): string {
  return `${prefix}${randomBytes(12).toString('hex')}`;
}

export function now(): number {
  return Math.floor(Date.now() / 1000);
}

/** As listed by /v1/models. */
export function modelObject(model: ServedModel) {
  return {
    id: model.id,
    object: 'model',
    created: model.created,
    owned_by: 'llm-host',
    context_length: model.contextLength,
    thinking: model.thinks,
  };
}

/** One that is not loaded, so that less is known of it. */
export function otherModelObject({ id, modifiedMs = 0 }: OtherModel) {
  return { id, object: 'model', created: Math.floor(modifiedMs / 1000), owned_by: 'llm-host' };
}
