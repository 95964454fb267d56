import { type SamplingName, samplingField } from '../../../src/text/sampling/fields.ts';

export interface Edge {
  readonly name: SamplingName;
  readonly value: unknown;
  readonly allowed: boolean;
}

/** Values below, at and above each bound of a field, and some of another kind. */
export function edgesOf(name: SamplingName): readonly Edge[] {
  const { kind, range, maxItems = 0 } = samplingField(name);
  if (kind === 'texts') {
    return [
      { name, value: Array(maxItems).fill('x'), allowed: true },
      { name, value: Array(maxItems + 1).fill('x'), allowed: false },
      ...[[1], [null], {}, 1].map(value => ({ name, value, allowed: false })),
    ];
  }
  if (kind === 'boolean') {
    return [true, false, 1, 'true', {}].map(value => ({ name, value, allowed: typeof value === 'boolean' }));
  }
  if (!range) throw new Error(`${name} has no range`);
  const step = range.integer ? 1 : 0.001;
  const numbers = [
    { value: range.min - step, allowed: false },
    { value: range.min, allowed: !range.above },
    { value: range.min + step, allowed: true },
    { value: range.max - step, allowed: true },
    { value: range.max, allowed: !range.below },
    { value: range.max + step, allowed: false },
    ...(range.integer ? [{ value: range.min + 0.5, allowed: false }] : []),
    { value: 'hot', allowed: false },
  ];
  if (kind === 'number') return numbers.map(edge => ({ name, ...edge }));
  return [
    ...numbers.map(({ value, allowed }) => ({ name, value: { 1: value }, allowed })),
    ...[{ x: 1 }, { '-1': 1 }, { 1.5: 1 }, [], 1].map(value => ({ name, value, allowed: false })),
  ];
}
