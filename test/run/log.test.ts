import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLog } from '../../src/run/log.ts';
import { tempFolder } from '../model/temp-folder.ts';

test('the log is rotated when it is full, and is private', () => {
  const path = join(tempFolder(), 'state', 'x.log');
  const { logger } = openLog(path, 'info', expect.unreachable, 300);
  for (let number = 0; number < 20; number++) logger.info(`line ${number}`);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(path).size).toBeLessThan(500);
  expect(readFileSync(path, 'utf8')).toContain('line 19');
  expect(readFileSync(`${path}.1`, 'utf8')).toMatch(/line \d+/);
});

test('a folder that cannot be made: a silent log, and one problem reported', () => {
  const file = join(tempFolder(), 'file');
  writeFileSync(file, '');
  const problems: string[] = [];
  const { logger } = openLog(join(file, 'x.log'), 'info', message => problems.push(message));
  logger.error('lost');
  expect(logger.level).toBe('silent');
  expect(problems).toEqual([
    expect.stringContaining(`no log is kept, ${join(file, 'x.log')} cannot be written`),
  ]);
});

test('a line longer than 4 KB is cut, and still is JSON with its message', () => {
  const path = join(tempFolder(), 'x.log');
  const { logger } = openLog(path, 'info', expect.unreachable);
  logger.info({ server: 'one' }, `begin ${'x'.repeat(5_000_000)}`);
  logger.info({ server: 'two' }, `begin ${'\u0000\ud83d'.repeat(5000)}`);
  logger.error({ stack: 'at a\n'.repeat(5000), nested: { deep: 'y'.repeat(9000) } }, 'broke');
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  expect(lines).toHaveLength(3);
  for (const line of lines) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(4096);
  const [one, two, three] = lines.map(line => JSON.parse(line));
  expect(one).toMatchObject({ server: 'one', msg: expect.stringMatching(/^begin x{3000,}$/) });
  expect(one.cutFromBytes).toBeGreaterThan(5_000_000);
  expect(two).toMatchObject({ server: 'two', msg: expect.stringContaining('begin') });
  expect(three).toMatchObject({ msg: 'broke', stack: expect.stringContaining('at a') });
});

test('a folder removed meanwhile: the log begins again there, and is never written into another file', () => {
  const folder = tempFolder();
  const path = join(folder, 'state', 'x.log');
  const { logger } = openLog(path, 'info', expect.unreachable, 300);
  logger.info('before');
  rmSync(join(folder, 'state'), { recursive: true });
  writeFileSync(join(folder, 'state'), 'in the way');
  for (let number = 0; number < 10; number++) logger.info(`lost ${number}`);
  // Takes the number of a file that was closed.
  const other = openSync(join(folder, 'other'), 'w');
  for (let number = 0; number < 10; number++) logger.info(`lost too ${number}`);
  closeSync(other);
  expect(readFileSync(join(folder, 'other'), 'utf8')).toBe('');
  rmSync(join(folder, 'state'));
  for (let number = 0; number < 10; number++) logger.info(`after ${number}`);
  expect(readFileSync(path, 'utf8')).toContain('after 9');
});

test('a device is written to, and not renamed when it has had its share', () => {
  const folder = tempFolder();
  symlinkSync('/dev/null', join(folder, 'x.log'));
  const { logger } = openLog(join(folder, 'x.log'), 'info', expect.unreachable, 300);
  for (let number = 0; number < 10; number++) logger.info(`line ${number}`);
  expect(readdirSync(folder)).toEqual(['x.log']);
});
