import { Float } from '../cases/typed-values.ts';

/** A number as Python's `int` and `float` read it, which is what the benchmark's answers were written for. */
export function readNumber(text: string): number | Float | undefined {
  const digits = text.trim().replace(/(?<=\d)_(?=\d)/g, '');
  if (/^[-+]?\d+$/.test(digits)) return Number(digits);
  if (!/^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/.test(digits)) return undefined;
  return asFloat(Number(digits));
}

export function asFloat(value: number): number | Float {
  return Number.isInteger(value) ? new Float(value) : value;
}
