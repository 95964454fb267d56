import { expect, it } from 'vitest';
import { endsInThinking } from '../../src/parse/create-tool-parser.ts';

it.each([
  ['<|im_start|>assistant\n<think>\n', true],
  ['<|im_start|>assistant\n<think>', true],
  ['<|im_start|>assistant\n<think>\n\n</think>\n\n', false],
  ['<|im_start|>assistant\n', false],
  ['<|im_start|>user\nWhat is <think>?<|im_end|>\n<|im_start|>assistant\n', false],
])('%j: %s', (prompt, expected) => {
  expect(endsInThinking(prompt)).toBe(expected);
});
