import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keyOf, newSecret, readSecretFile, secretFromInput } from '../../../src/distributed/link/secret.ts';

const SECRET = 'correct horse battery staple, twice over';
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'llm-host-secret-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(text: string | Buffer, mode = 0o600): string {
  const path = join(folder, 'secret');
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

test('spaces and the line end around it do not count', () => {
  expect(readSecretFile(file(`  ${SECRET}\n`), '--secret-file')).toBe(SECRET);
});

test.each<[string, () => string, RegExp]>([
  ['no file', () => join(folder, 'none'), /cannot be read \(.*does not exist/],
  ['a folder', () => folder, /cannot be read/],
  ['an empty file', () => file(''), /has 0 characters, and a secret needs 32/],
  ['a short one', () => file('x'.repeat(31)), /has 31 characters/],
  ['a file of 1 MB', () => file('x'.repeat(1_000_000)), /cannot be read/],
  ['a file that others can read', () => file(SECRET, 0o644), /can be read by other users/],
  ['a file that a group can write', () => file(SECRET, 0o620), /can be read by other users/],
])('refused: %s', (_, path, why) => {
  const read = () => readSecretFile(path(), '--secret-file');
  expect(read).toThrow(why);
  expect(read).toThrow('--secret-file: ');
});

test('no message repeats a secret', () => {
  expect(() => readSecretFile(file('hunter2'), '--secret-file')).not.toThrow(/hunter2/);
});

test('a key is of one secret only, and does not show it', () => {
  expect(keyOf(SECRET)).toEqual(keyOf(SECRET));
  expect(keyOf(SECRET)).not.toEqual(keyOf(`${SECRET}!`));
  expect(keyOf(SECRET)).toHaveLength(32);
  expect(newSecret()).not.toBe(newSecret());
});

test('the first line of an input, in pieces; it ends when the input ends', async () => {
  const input = new PassThrough();
  const reading = secretFromInput(input);
  input.write(SECRET.slice(0, 9));
  input.write(`${SECRET.slice(9)}\nmore`);
  const { secret, ended } = await reading;
  expect(secret).toBe(SECRET);
  input.end();
  await ended;
});

test.each([
  ['nothing', '', /stdin has 0 characters/],
  ['a short line', 'short\n', /stdin has 5 characters/],
  ['no end of line in 5,000 characters', 'x'.repeat(5000), /stdin has an endless first line/],
])('an input of %s is refused', async (_, text, why) => {
  const input = new PassThrough();
  const reading = secretFromInput(input);
  input.end(text);
  await expect(reading).rejects.toThrow(why);
});
