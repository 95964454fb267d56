import type { OpenedModel } from '../../run/open-model.ts';

/** Switches thinking on or off; a notice if the model's template cannot. */
export function thinkingNotice({ model, name }: OpenedModel, on: boolean): string[] {
  const outcome = model.setThinking?.(on) ?? 'none';
  if (outcome === 'done') return [];
  if (outcome === 'less') return [`${name} cannot turn thinking off; it now thinks as little as it can.`];
  return [`The chat template of ${name} has no switch for thinking; nothing changes.`];
}
