/** A value for people, with its unit. */
export function quantity(value: number, unit: string): string {
  const { divisor, name } = scale(value, unit);
  return `${significant(value / divisor)} ${name}`;
}

/** Minimum / median / maximum. */
export function spreadQuantity({ min, median, max }: Spread, unit: string): string {
  const { divisor, name } = scale(max, unit);
  return `${[min, median, max].map(value => significant(value / divisor)).join(' / ')} ${name}`;
}

function scale(largest: number, unit: string): { divisor: number; name: string } {
  if (unit === 'bytes') return { divisor: 1e6, name: 'MB' };
  if (unit === 'us') return { divisor: 1, name: 'µs' };
  return unit === 'ms' && largest >= 10_000 ? { divisor: 1000, name: 's' } : { divisor: 1, name: unit };
}

/** To three significant digits, but never less than the whole part. */
export function significant(value: number): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return value.toFixed(digits);
}

/** The spread of several runs. The median of an even number is the mean of the middle two. */
export interface Spread {
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

/** `values` is not empty. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (index: number) => sorted[index] as number;
  const middle = (sorted.length - 1) / 2;
  return {
    min: at(0),
    median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2,
    max: at(sorted.length - 1),
  };
}

export function mapSpread({ min, median, max }: Spread, change: (value: number) => number): Spread {
  return { min: change(min), median: change(median), max: change(max) };
}
