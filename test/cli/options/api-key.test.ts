import { expect, it } from 'vitest';
import { apiKeyOf } from '../../../src/cli/options/api-key.ts';

it('the key is what a header can carry: no white space around it, and only ASCII', () => {
  expect(apiKeyOf(' se cret\t', {})).toBe('se cret');
  // As a file of variables with Windows line ends has it.
  expect(apiKeyOf(undefined, { LLM_HOST_API_KEY: 'secret\r' })).toBe('secret');
  for (const key of ['schlüssel', 'ключ', 'a\nb', 'a\u200bb'])
    expect(() => apiKeyOf(key, {})).toThrow('--api-key has a character that is not ASCII');
  expect(() => apiKeyOf(' \n', {})).toThrow('--api-key is empty');
});
