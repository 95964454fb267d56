import { ToolError } from './tool-server.ts';

const SIGNIFICANT_DIGITS = 12;

export function divide(a: number, b: number): number {
  if (b === 0) throw new ToolError('Division by zero is not allowed.');
  return a / b;
}

export function power(base: number, exponent: number): number {
  if (base === 0 && exponent < 0) throw new ToolError('Zero cannot be raised to a negative power.');
  if (base < 0 && !Number.isInteger(exponent)) {
    throw new ToolError('A negative number raised to a fraction is not a real number.');
  }
  return base ** exponent;
}

export function squareRoot(number: number): number {
  if (number < 0) throw new ToolError('Square root of a negative number is not a real number.');
  return Math.sqrt(number);
}

/** Exact integers in full, anything else to 12 significant digits, so 0.1 + 0.2 is 0.3. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) throw new ToolError('The result is too large.');
  if (Number.isSafeInteger(value)) return String(value + 0);
  return String(Number(value.toPrecision(SIGNIFICANT_DIGITS)));
}
