import { expect, test } from 'vitest';
import { mostTools, toolBudget } from '../../../src/agent/offer/tool-budget.ts';

test.each([
  [undefined, 8192, 135e6, 1228],
  [undefined, 100_000, 135e6, 1500],
  [undefined, 100_000, 3e9, 4000],
  [undefined, 200_000, 70e9, 30_000],
  [undefined, 8192, 0, 1228],
  [undefined, 8192, undefined, 1228],
  [700, 8192, 135e6, 700],
  [0, 8192, 135e6, Number.POSITIVE_INFINITY],
])(
  'tools.budget %s in a context of %s with %s parameters: %s tokens',
  (budget, contextLength, parameters, tokens) => {
    expect(toolBudget(budget, { contextLength, parameters })).toBe(tokens);
  },
);

test.each([
  [undefined, 135e6, 12],
  [undefined, 3e9, Number.POSITIVE_INFINITY],
  [undefined, undefined, Number.POSITIVE_INFINITY],
  // Who sets a budget in tokens wants no other limit.
  [1500, 135e6, Number.POSITIVE_INFINITY],
])('tools.budget %s with %s parameters: at most %s tools that only fit', (budget, parameters, most) => {
  expect(mostTools(budget, { contextLength: 8192, parameters })).toBe(most);
});
