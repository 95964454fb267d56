import type { Spread } from './spread.ts';

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
