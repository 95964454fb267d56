import { type ServerTool, serveTools, ToolError } from './tool-server.ts';

/** Six arithmetic tools; each result is just the number. */
export const calculatorTools: readonly ServerTool[] = [
  calculation('add', 'Add two numbers.', ['a', 'b'], (a, b) => a + b),
  calculation('subtract', 'Subtract b from a.', ['a', 'b'], (a, b) => a - b),
  calculation('multiply', 'Multiply two numbers.', ['a', 'b'], (a, b) => a * b),
  calculation('divide', 'Divide a by b.', ['a', 'b'], divide),
  calculation('power', 'Raise base to the power of exponent.', ['base', 'exponent'], power),
  calculation('square_root', 'Square root of a number.', ['number'], squareRoot),
];

/** The `calculator` MCP server on stdio; resolves when its client is gone. */
export function runCalculatorServer(version = '0'): Promise<void> {
  return serveTools('calculator', version, calculatorTools);
}

function calculation(
  name: string,
  description: string,
  parameters: readonly string[],
  compute: (...numbers: number[]) => number,
): ServerTool {
  return {
    name,
    description,
    parameters: Object.fromEntries(parameters.map(parameter => [parameter, 'number' as const])),
    annotations: { readOnlyHint: true },
    run: args => formatNumber(compute(...parameters.map(parameter => finite(parameter, args[parameter])))),
  };
}

/** JSON allows 1e999, which JavaScript reads as Infinity. */
function finite(name: string, value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new ToolError(`The argument ${name} is too large.`);
}

const SIGNIFICANT_DIGITS = 12;

function divide(a: number, b: number): number {
  if (b === 0) throw new ToolError('Division by zero is not allowed.');
  return a / b;
}

function power(base: number, exponent: number): number {
  if (base === 0 && exponent < 0) throw new ToolError('Zero cannot be raised to a negative power.');
  if (base < 0 && !Number.isInteger(exponent)) {
    throw new ToolError('A negative number raised to a fraction is not a real number.');
  }
  return base ** exponent;
}

function squareRoot(number: number): number {
  if (number < 0) throw new ToolError('Square root of a negative number is not a real number.');
  return Math.sqrt(number);
}

/** Exact integers in full, anything else to 12 significant digits, so 0.1 + 0.2 is 0.3. */
function formatNumber(value: number): string {
  if (!Number.isFinite(value)) throw new ToolError('The result is too large.');
  if (Number.isSafeInteger(value)) return String(value + 0);
  return String(Number(value.toPrecision(SIGNIFICANT_DIGITS)));
}
