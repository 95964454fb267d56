import type { OpenedModel } from '../../run/open-model.ts';

/** Switches the model's thinking; a notice where its template cannot do what was asked. */
export function thinkingNotice({ model, name }: OpenedModel, on: boolean): string[] {
  const outcome = model.setThinking?.(on) ?? 'none';
  if (outcome === 'done') return [];
  if (outcome === 'less') return [`${name} cannot stop thinking; it was asked for as little as it can.`];
  return [`The chat template of ${name} has no switch for thinking; the model goes on as it always does.`];
}
