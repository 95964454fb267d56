import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { makeFolder } from '../../../src/text/files/make-folder.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'make-folder-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
});
const codeOf = (path: string) => {
  try {
    makeFolder(path);
    return 'made';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
};

test('makes what is missing, for its owner alone where asked, and may be called again', () => {
  const path = join(root, 'a/b/../c/d');
  makeFolder(path, 0o700);
  makeFolder(path, 0o700);
  for (const made of ['a/b', 'a/c', 'a/c/d'].filter(name => existsSync(join(root, name))))
    expect(statSync(join(root, made)).mode & 0o777, made).toBe(0o700);
  expect(statSync(path).isDirectory()).toBe(true);
});

test('follows a link to a folder', () => {
  mkdirSync(join(root, 'real'));
  symlinkSync('real', join(root, 'link'));
  makeFolder(join(root, 'link/inner'));
  expect(existsSync(join(root, 'real/inner'))).toBe(true);
});

test('says what is in the way', () => {
  writeFileSync(join(root, 'file'), '');
  symlinkSync('nowhere', join(root, 'dangling'));
  symlinkSync('loop', join(root, 'loop'));
  expect(codeOf(join(root, 'file'))).toBe('EEXIST');
  expect(codeOf(join(root, 'file/inner'))).toBe('EEXIST');
  expect(codeOf(join(root, 'dangling'))).toBe('EEXIST');
  expect(codeOf(join(root, 'loop/inner'))).toBe('ELOOP');
  expect(codeOf(join(root, 'x'.repeat(300), 'y'))).toBe('ENAMETOOLONG');
});

// Node's mkdirSync with `recursive` goes round for ever here.
test.runIf(process.platform === 'linux')('below /proc it fails', () => {
  expect(codeOf('/proc/x')).toBe('ENOENT');
  expect(codeOf('/proc/x/y/z')).toBe('ENOENT');
  expect(codeOf('/proc/self/x/y')).toBe('ENOENT');
});
