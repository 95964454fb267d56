import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findConfigFile } from '../../../src/cli/settings/find-config.ts';
import { tempFolder } from '../../model/temp-folder.ts';

function foundIn(text: string): string | undefined {
  const cwd = tempFolder();
  const path = join(cwd, 'config.json');
  writeFileSync(path, text);
  const found = findConfigFile({ cwd, env: { HOME: cwd } });
  expect(found.passedOver).toEqual(found.path === undefined ? [path] : []);
  return found.path;
}

test.each([
  '{ "model_type": "llama", "hidden_size": 64 }',
  '{ "$schema": "https://example.org/other.json", "port": 80 }',
  '{ "name": "other" /* with a comment */ }',
])('passed over: %s', text => {
  expect(foundIn(text)).toBeUndefined();
});

test.each([
  '{ "SystemPrompt": "x", "hidden_size": 64 }',
  '{ "system_prompt": "misspelt" }',
  '{ "sampling": {} }',
  '{}',
  '{ "SystemPrompt": ',
])('ours, or to be complained of: %s', text => {
  expect(foundIn(text)).toBeDefined();
});

test('a folder of that name is left to the reader to refuse', () => {
  const cwd = tempFolder();
  mkdirSync(join(cwd, 'config.json'));
  expect(findConfigFile({ cwd, env: { HOME: cwd } }).path).toBe(join(cwd, 'config.json'));
});
