import { SAMPLING_NAMES, type SamplingField, samplingField } from '../../../src/text/sampling/fields.ts';

/** `properties.sampling` of config.schema.json. */
export function samplingSchema(): object {
  const properties = SAMPLING_NAMES.map(name => [name, fieldSchema(samplingField(name))]);
  return { type: 'object', properties: Object.fromEntries(properties) };
}

function fieldSchema({ kind, range, maxItems, default: fallback, doc }: SamplingField): object {
  const described = {
    description: `${doc[0]?.toUpperCase()}${doc.slice(1)}.`,
    ...(fallback !== undefined && { default: fallback }),
  };
  if (kind === 'texts') return { type: 'array', items: { type: 'string' }, maxItems, ...described };
  const number = {
    type: range?.integer ? 'integer' : 'number',
    [range?.above ? 'exclusiveMinimum' : 'minimum']: range?.min,
    [range?.below ? 'exclusiveMaximum' : 'maximum']: range?.max,
  };
  if (kind === 'number') return { ...number, ...described };
  return {
    ...{ type: 'object', propertyNames: { pattern: '^[0-9]+$' }, additionalProperties: number },
    ...described,
  };
}
