import { expect, test } from 'vitest';
import { shortDefinition } from '../../../src/agent/offer/choose-tools.ts';

const full = {
  type: 'function' as const,
  function: {
    name: 'make',
    description: `Makes a thing of any kind, as long as it is known to the register. ${'More of it. '.repeat(40)}`,
    parameters: {
      type: 'object',
      title: 'Make',
      additionalProperties: false,
      properties: {
        title: { type: 'string', description: 'its title', default: 'x' },
        parts: { type: 'array', items: { type: 'object', properties: { size: { type: 'number' } } } },
        kind: { enum: ['a', 'b'], description: 'the kind' },
      },
      required: ['title'],
    },
  },
};

test('descriptions are cut at a sentence; a property named like a keyword stays', () => {
  const { description, parameters } = shortDefinition(full, 1).function;
  expect(description).toMatch(/^Makes a thing of any kind, as long as it is known to the register\..*\.$/);
  expect((description as string).length).toBeLessThanOrEqual(160);
  expect(parameters).toEqual({
    type: 'object',
    properties: {
      title: { type: 'string', description: 'its title' },
      parts: { type: 'array', items: { type: 'object', properties: { size: { type: 'number' } } } },
      kind: { enum: ['a', 'b'], description: 'the kind' },
    },
    required: ['title'],
  });
});

test('shorter: the arguments alone; shortest: those that are required', () => {
  expect(shortDefinition(full, 2).function.parameters).toEqual({
    type: 'object',
    properties: { title: { type: 'string' }, parts: { type: 'array' }, kind: { enum: ['a', 'b'] } },
    required: ['title'],
  });
  expect(shortDefinition(full, 3).function.parameters).toEqual({
    type: 'object',
    properties: { title: { type: 'string' } },
    required: ['title'],
  });
});

test('odd schemas', () => {
  const odd = { type: 'function' as const, function: { name: 'x', parameters: { properties: { a: true } } } };
  expect(shortDefinition(odd, 1).function).toEqual({ name: 'x', parameters: { properties: { a: true } } });
  expect(shortDefinition(odd, 2).function.parameters).toEqual({ type: 'object', properties: { a: {} } });
});

test('nested keywords of the wrong type end no turn, and values and names stay', () => {
  const size = { type: 'object', properties: null, $defs: null, definitions: 'none', dependentSchemas: [] };
  const parameters = {
    type: 'object',
    properties: {
      size,
      kind: { enum: [{ title: 'Big', default: 1 }], title: 'Kind' },
      only: { const: { examples: [1] } },
    },
    patternProperties: { title: { type: 'string', title: 'Any' } },
  };
  const odd = { type: 'function' as const, function: { name: 'x', parameters } };
  expect(shortDefinition(odd, 1).function.parameters).toEqual({
    type: 'object',
    properties: {
      size,
      kind: { enum: [{ title: 'Big', default: 1 }] },
      only: { const: { examples: [1] } },
    },
    patternProperties: { title: { type: 'string' } },
  });
  for (const level of [2, 3] as const) expect(() => shortDefinition(odd, level)).not.toThrow();
});
