import { expect, test } from 'vitest';
import { checkKey } from '../../../src/cli/options/check-options.ts';
import type { ChatArguments } from '../../../src/cli/options/option-table.ts';
import { connection } from '../../../src/cli/settings/model-source.ts';

test.each([
  ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
  ['127.0.0.1:8080', 'http://127.0.0.1:8080'],
  ['localhost:8080/v1/', 'http://localhost:8080'],
  ['https://example.org/llm/', 'https://example.org/llm'],
  ['[::1]:8080', 'http://[::1]:8080'],
])('--connect %s: %s', (connect, url) => {
  expect(connection({ connect }, {})).toEqual({ url });
});

test('the key comes from the option, else from the environment', () => {
  const env = { LLM_HOST_API_KEY: 'of the environment' };
  expect(connection({ connect: 'x:1', apiKey: 'given' }, env)?.apiKey).toBe('given');
  expect(connection({ connect: 'x:1' }, env)?.apiKey).toBe('of the environment');
});

test.each<[ChatArguments, string]>([
  [{ connect: 'ftp://x' }, "--connect takes an address such as http://127.0.0.1:8080, not 'ftp://x'"],
  [{ connect: '' }, '--connect takes an address'],
  [{ connect: 'http://a:b@localhost' }, '--connect takes no user and password'],
  [{ connect: 'x:1', quantize: '4' }, '--quantize cannot be combined with --connect'],
  [{ connect: 'x:1', context: 100 }, '--context cannot be combined with --connect'],
  [{ connect: 'x:1', apiKey: ' ' }, '--api-key is empty'],
  [{ connect: 'x:1', apiKey: '@/none/key' }, '--api-key: /none/key cannot be read'],
  [{ apiKey: 'x' }, '--api-key needs --connect'],
])('%j is refused', (args, message) => {
  const check = () => {
    checkKey(args);
    connection(args, {});
  };
  expect(check).toThrow(
    expect.objectContaining({ code: 'USAGE', message: expect.stringContaining(message) }),
  );
});
