import { expect, it } from 'vitest';
import { calculatorTools } from '../../src/servers/calculator.ts';
import { callTool, schemaOf } from '../../src/servers/tool-server.ts';

const run = (name: string, args: Record<string, unknown>) => callTool(calculatorTools, name, args);

it.each([
  ['add', { a: 17, b: 25 }, '42'],
  ['add', { a: 0.1, b: 0.2 }, '0.3'],
  ['add', { a: -5, b: 5 }, '0'],
  ['subtract', { a: 1, b: 1.1 }, '-0.1'],
  ['multiply', { a: -0, b: 3 }, '0'],
  ['multiply', { a: 123456789, b: 1000 }, '123456789000'],
  ['multiply', { a: 94906265, b: 94906265 }, '9007199136250225'],
  ['divide', { a: 1, b: 3 }, '0.333333333333'],
  ['divide', { a: 10, b: 4 }, '2.5'],
  ['power', { base: 2, exponent: 10 }, '1024'],
  ['power', { base: 2, exponent: -1 }, '0.5'],
  ['power', { base: -2, exponent: 3 }, '-8'],
  ['power', { base: 0, exponent: 0 }, '1'],
  ['square_root', { number: 2 }, '1.41421356237'],
  ['square_root', { number: 144 }, '12'],
])('%s %j is %s', async (name, args, text) => {
  expect(await run(name, args)).toEqual({ text, isError: false });
});

it.each([
  ['divide', { a: 1, b: 0 }, 'Error: Division by zero is not allowed.'],
  ['divide', { a: 0, b: -0 }, 'Error: Division by zero is not allowed.'],
  ['square_root', { number: -4 }, 'Error: Square root of a negative number is not a real number.'],
  ['power', { base: 10, exponent: 400 }, 'Error: The result is too large.'],
  ['multiply', { a: 1e300, b: 1e300 }, 'Error: The result is too large.'],
  [
    'power',
    { base: -8, exponent: 1 / 3 },
    'Error: A negative number raised to a fraction is not a real number.',
  ],
  ['power', { base: 0, exponent: -1 }, 'Error: Zero cannot be raised to a negative power.'],
  ['add', { a: Number.POSITIVE_INFINITY, b: 1 }, 'Error: The argument a is too large.'],
  ['add', { a: 1 }, 'Error: The argument b is missing.'],
  ['add', { a: 1, b: null }, 'Error: The argument b is missing.'],
  ['add', { a: 1, b: '2' }, 'Error: The argument b must be a number.'],
  ['add', { a: 1, b: 2, c: 3 }, 'Error: There is no argument c; add takes a, b.'],
  ['modulo', {}, 'Error: There is no tool modulo.'],
])('%s %j fails in words', async (name, args, text) => {
  expect(await run(name, args)).toEqual({ text, isError: true });
});

it('describes its tools in the order and words that the demo model knows', () => {
  const described = calculatorTools.map(tool => [tool.name, tool.description, schemaOf(tool)]);
  const numbers = (...names: string[]) => ({
    type: 'object',
    properties: Object.fromEntries(names.map(name => [name, { type: 'number' }])),
    required: names,
  });
  expect(described).toEqual([
    ['add', 'Add two numbers.', numbers('a', 'b')],
    ['subtract', 'Subtract b from a.', numbers('a', 'b')],
    ['multiply', 'Multiply two numbers.', numbers('a', 'b')],
    ['divide', 'Divide a by b.', numbers('a', 'b')],
    ['power', 'Raise base to the power of exponent.', numbers('base', 'exponent')],
    ['square_root', 'Square root of a number.', numbers('number')],
  ]);
  expect(calculatorTools.every(tool => tool.annotations.readOnlyHint)).toBe(true);
});
