import { describe, expect, test } from 'vitest';
import type { ToolCase } from '../../../src/bench/tools/cases/tool-case.ts';
import { chosenCases } from '../../../src/cli/bench/chosen-cases.ts';
import { bfclCategories, type ToolsOptions } from '../../../src/cli/bench/tools-arguments.ts';

const OPTIONS: ToolsOptions = {
  modes: ['free'],
  perCategory: undefined,
  half: undefined,
  maxTokens: 512,
  callConfidence: 0,
};
const single: ToolCase = {
  id: 'multiple_0',
  category: 'multiple',
  messages: [],
  tools: [],
  expected: { kind: 'none' },
};
const conversation: ToolCase = {
  ...single,
  id: 'multi_turn_base_0',
  expected: { kind: 'conversation' },
  conversation: { turns: ['Hello'], services: [], withheld: new Map() },
};
const leftOut = [{ category: 'multi_turn_base', cases: 25, why: 'MathAPI needs the Python package mpmath' }];

describe('the categories of BFCL', () => {
  const args = { model: 'demo', tools: '' };
  const ALL = ['multi_turn_base', 'multi_turn_miss_func', 'multi_turn_miss_param'];
  test.each([
    [{}, 13, []],
    [{ all: true }, 13, []],
    [{ categories: ALL.join(), all: true }, 0, ALL],
    [{ categories: 'multi_turn_miss_param,multiple,multi_turn_base' }, 1, [ALL[0], ALL[2]]],
    [{ categories: 'simple_java', all: true }, 1, []],
  ])('with %j are %i of single turns, and of conversations %j', (more, count, conversations) => {
    const chosen = bfclCategories({ ...args, ...more });
    expect(chosen.single).toHaveLength(count);
    expect(chosen.conversations).toEqual(conversations);
  });

  test('have no long contexts', () => {
    const long = { ...args, categories: 'multi_turn_long_context' };
    expect(() => bfclCategories(long)).toThrow("--categories has no 'multi_turn_long_context'");
  });
});

describe('the questions to ask', () => {
  test('are those that a mode measures', () => {
    const cases = [single, conversation];
    const chosen = (modes: ToolsOptions['modes']) => chosenCases({ cases, leftOut }, { ...OPTIONS, modes });
    expect(chosen(['free'])).toEqual([single]);
    expect(chosen(['free', 'held'])).toEqual(cases);
  });

  const REFUSED: readonly [ToolCase[], ToolsOptions, string, RegExp][] = [
    [[], OPTIONS, 'ENGINE_UNAVAILABLE', /No question of multi_turn_base .*: MathAPI needs .* mpmath$/],
    [[conversation], OPTIONS, 'USAGE', /^--mode free has no questions here$/],
    [[single], { ...OPTIONS, half: 'a' }, 'USAGE', /^--half a has no questions here$/],
  ];
  test.each(REFUSED)('are refused where there are none', (cases, options, code, message) => {
    expect(() => chosenCases({ cases, leftOut }, options)).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    );
  });
});
