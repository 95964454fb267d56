import { type NumberRange, rangeText } from '../../../src/text/number-range.ts';
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
  if (kind === 'boolean') return { type: 'boolean', ...described };
  if (kind === 'texts') return { type: 'array', items: { type: 'string' }, maxItems, ...described };
  const number = {
    type: range?.integer ? 'integer' : 'number',
    [range?.above ? 'exclusiveMinimum' : 'minimum']: range?.min,
    [range?.below ? 'exclusiveMaximum' : 'maximum']: range?.max,
  };
  if (kind === 'number') return { ...number, ...described };
  return {
    type: 'object',
    propertyNames: { pattern: '^[0-9]+$' },
    additionalProperties: number,
    ...described,
  };
}

/** native/sample/sampling_ranges.h. */
export function samplingRanges(): string {
  const rows = SAMPLING_NAMES.flatMap(name => {
    const { range } = samplingField(name);
    return range ? [rangeRow(name, range)] : [];
  });
  return `// Written from src/text/sampling/fields.ts by \`npx vitest run test/text/sampling -u\`; do not edit.
#pragma once

namespace llm_host {

struct SamplingRange {
  const char* name;
  double min;
  double max;
  bool above;  // min itself is out of range
  bool below;  // max itself is out of range
  const char* text;
};

// clang-format off
${rows.join('\n')}
// clang-format on

}  // namespace llm_host
`;
}

function rangeRow(name: string, range: NumberRange): string {
  const { min, max, above = false, below = false } = range;
  const constant = `k${name[0]?.toUpperCase()}${name.slice(1)}`;
  const text = rangeText(range);
  return `inline constexpr SamplingRange ${constant}{"${name}", ${min}, ${max}, ${above}, ${below}, "${text}"};`;
}
