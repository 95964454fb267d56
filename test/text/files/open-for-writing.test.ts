import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { appendText, writeText } from '../../../src/text/files/open-for-writing.ts';
import { tempFolder } from '../../model/temp-folder.ts';

test('text is appended, or replaces what was there; a new file has the mode', () => {
  const path = join(tempFolder(), 'file');
  appendText(path, 'one\n', 0o600);
  appendText(path, 'two\n', 0o600);
  expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  writeText(path, 'x');
  expect(readFileSync(path, 'utf8')).toBe('x');
});

test('a pipe that nobody reads is an error instead of a wait, and so is a folder', () => {
  const folder = tempFolder();
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  for (const write of [appendText, writeText]) {
    expect(() => write(pipe, 'x')).toThrow('ENXIO');
    expect(() => write(folder, 'x')).toThrow('EISDIR');
  }
});
