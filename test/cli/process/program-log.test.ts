import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openProgramLog } from '../../../src/cli/process/program-log.ts';
import { UNCLEAN } from '../../mcp/hostile/withstand.ts';
import { tempFolder } from '../../model/temp-folder.ts';

test('what a library prints goes to the log, clean and cut, and nowhere else', () => {
  const { warn, error } = console;
  const { write } = process.stderr;
  const shown: unknown[] = [];
  onTestFinished(() => {
    Object.assign(console, { warn, error });
    process.stderr.write = write;
  });
  process.stderr.write = chunk => shown.push(chunk) > 0;
  const log = openProgramLog({ XDG_STATE_HOME: tempFolder() });
  console.warn('[mcp-sdk] Cause: %s', 'bad\u001b]52;c;aGk=\u0007\u202e\u200b end');
  console.error('x'.repeat(1e6));
  const [first = '', second = ''] = readFileSync(log.path, 'utf8').split('\n');
  expect(JSON.parse(first).msg).toBe('[mcp-sdk] Cause: bad end');
  expect(first).not.toMatch(UNCLEAN);
  expect(second.length).toBeLessThan(4200);
  expect(shown).toEqual([]);
});

test('that no log can be kept is told once, however often it is opened', () => {
  const { write } = process.stderr;
  const methods = { ...console };
  const shown: string[] = [];
  onTestFinished(() => {
    Object.assign(console, methods);
    process.stderr.write = write;
  });
  process.stderr.write = chunk => shown.push(String(chunk)) > 0;
  const file = join(tempFolder(), 'file');
  writeFileSync(file, '');
  for (let times = 0; times < 3; times++) openProgramLog({ XDG_STATE_HOME: file });
  expect(shown).toEqual([expect.stringMatching(/^Notice: no log is kept, .*file.*: (?:ENOTDIR|EEXIST)/)]);
});
