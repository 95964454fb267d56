import { readFileSync, statSync, writeFileSync } from 'node:fs';
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
