import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { APPLICATION_DIRECTORY } from '../../../src/cli/process/app.ts';
import { demoMcpFile } from '../../../src/cli/settings/demo.ts';
import { tempFolder } from '../../model/temp-folder.ts';

const SAMPLE = join(APPLICATION_DIRECTORY, 'models', 'demo', 'sample');

test("each start restores the demo's files; the user's own stay", () => {
  const state = tempFolder();
  const env = { HOME: state, XDG_STATE_HOME: state };
  const folder = join(state, 'llm-host', 'demo-files');
  demoMcpFile(env);
  expect(readdirSync(folder).sort()).toEqual(readdirSync(SAMPLE).sort());

  rmSync(join(folder, 'recipes'), { recursive: true });
  writeFileSync(join(folder, 'meeting.txt'), 'overwritten');
  rmSync(join(folder, 'shopping.txt'));
  mkdirSync(join(folder, 'shopping.txt', 'in the way'), { recursive: true });
  writeFileSync(join(folder, 'mine.txt'), 'mine');
  demoMcpFile(env);

  expect(readdirSync(folder).sort()).toEqual([...readdirSync(SAMPLE), 'mine.txt'].sort());
  expect(readdirSync(join(folder, 'recipes'))).toEqual(readdirSync(join(SAMPLE, 'recipes')));
  for (const name of ['meeting.txt', 'shopping.txt']) {
    expect(readFileSync(join(folder, name), 'utf8')).toBe(readFileSync(join(SAMPLE, name), 'utf8'));
  }
  expect(readFileSync(join(folder, 'mine.txt'), 'utf8')).toBe('mine');
});

test('a state folder that cannot be written is named, with what to do', () => {
  const state = join(tempFolder(), 'file');
  writeFileSync(state, '');
  expect(() => demoMcpFile({ XDG_STATE_HOME: state })).toThrow(
    expect.objectContaining({
      code: 'CONFIG',
      message: expect.stringContaining(
        `cannot be written to ${join(state, 'llm-host', 'demo-files')}: ENOTDIR`,
      ),
      hint: expect.stringContaining('XDG_STATE_HOME'),
    }),
  );
});
