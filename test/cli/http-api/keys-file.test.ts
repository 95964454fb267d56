import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { httpApiOptions, readKeysFile } from '../../../src/cli/http-api/http-api-options.ts';

const folder = mkdtempSync(join(tmpdir(), 'keys-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(text: string): string {
  const path = join(folder, 'keys.json');
  writeFileSync(path, text);
  return path;
}

it('names, keys and limits, with comments; it opens other addresses', () => {
  const path = fileOf(`{
    // the nightly jobs
    "ci": { "key": "key-of-ci", "requestsPerMinute": 60, "tokensPerMinute": 20000 },
    "alice": { "key": "key-of-alice" },
  }`);
  expect(readKeysFile(path)).toEqual([
    { name: 'ci', key: 'key-of-ci', requestsPerMinute: 60, tokensPerMinute: 20000 },
    { name: 'alice', key: 'key-of-alice' },
  ]);
  const { access } = httpApiOptions({ host: '0.0.0.0', apiKeys: path }, {});
  expect(access).toMatchObject({ apiKey: undefined, keys: [{ name: 'ci' }, { name: 'alice' }] });
});

it.each([
  ['', /the file is empty/],
  ['{', /is not valid JSON/],
  ['[]', /is not as documented/],
  ['{}', /has no keys/],
  ['{"a": "key"}', /is not as documented: a/],
  ['{"a": {}}', /a\.key/],
  ['{"a": {"key": ""}}', /a\.key/],
  ['{"a": {"key": "with space"}}', /a key has no spaces/],
  ['{"a": {"key": "k", "requestsPerMinute": 0}}', /a\.requestsPerMinute/],
  ['{"a": {"key": "k", "requests": 5}}', /is not as documented: a/],
  ['{"no spaces": {"key": "k"}}', /a name has 1 to 64/],
  ['{"a": {"key": "k"}, "b": {"key": "k"}}', /has the key of 'b' twice/],
])('%s is refused', (text, words) => {
  const path = fileOf(text);
  expect(() => readKeysFile(path)).toThrow(words);
  expect(() => readKeysFile(path)).toThrow('--api-keys: ');
});

it('an error does not show keys', () => {
  const path = fileOf('{"a": {"key": "a secret key"}}');
  expect(() => readKeysFile(path)).not.toThrow(/secret/);
  expect(() => readKeysFile(join(folder, 'none.json'))).toThrow(/none\.json does not exist|cannot be read/);
});
