import { divide, formatNumber, power, squareRoot } from './arithmetic.ts';
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
