import type { OpenedModel } from '../../run/open-model.ts';
import { apiNames } from '../../text/sampling/api-names.ts';
import { SAMPLING_NAMES, type Sampling, samplingField } from '../../text/sampling/fields.ts';

/** Switches thinking on or off if asked to; what this model cannot do of what was asked, for the user. */
export function modelNotices(opened: OpenedModel, think: boolean | undefined, sampling: Sampling): string[] {
  return [
    ...(think === undefined ? [] : thinkingNotice(opened, think)),
    ...(opened.device === 'ollama' ? leftOut(sampling) : []),
  ];
}

/** Sampling fields that Ollama has no option for. */
function leftOut(sampling: Sampling): string[] {
  const known = new Set(apiNames('ollama').values());
  const flags = SAMPLING_NAMES.filter(name => sampling[name] !== undefined && !known.has(name)).map(
    name => `--${samplingField(name).names.flag}`,
  );
  return flags.length === 0 ? [] : [`Ollama has no option for ${flags.join(', ')}; it has no effect.`];
}

/** Switches thinking on or off; a notice if the model's template cannot. */
export function thinkingNotice({ model, name }: OpenedModel, on: boolean): string[] {
  const outcome = model.setThinking?.(on) ?? 'none';
  if (outcome === 'done') return [];
  if (outcome === 'less') return [`${name} cannot turn thinking off; it now thinks as little as it can.`];
  return [`The chat template of ${name} has no switch for thinking; nothing changes.`];
}
