import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ToolResults } from '../../../src/cli/session/tool-results.ts';
import { call, content } from '../../agent/fakes.ts';
import { place } from '../builtins/place.ts';

test('each step goes to an earlier result, then to the last again; a new one begins anew', () => {
  const results = new ToolResults();
  expect(results.step()).toBe('No tool has returned a result yet.');
  for (const name of ['one', 'two', 'three']) results.add(name, `text of ${name}\n`);
  const steps = Array.from({ length: 4 }, () => results.step());
  expect(steps).toEqual([
    'Result 1 of 3 from the last, three:\ntext of three',
    'Result 2 of 3 from the last, two:\ntext of two',
    'Result 3 of 3 from the last, one:\ntext of one',
    'Result 1 of 3 from the last, three:\ntext of three',
  ]);
  results.add('four', 'new');
  expect(results.step()).toContain('Result 1 of 4 from the last, four:');
});

test('by number; one that is not there says which are; terminal sequences are taken out', () => {
  const results = new ToolResults();
  results.add('x', 'a\u001b[2Jb');
  expect(results.show(1)).toBe('Result 1 of 1 from the last, x:\nab');
  expect(results.show(2)).toBe('There is no result 2; the only one is 1.');
  results.add('y', '');
  expect(results.show(0)).toBe('There is no result 0; 1 to 2 are kept, 1 is the last.');
});

test('the latest 50 are kept', () => {
  const results = new ToolResults();
  for (let number = 1; number <= 60; number++) results.add(`tool ${number}`, 'x');
  expect(results.show(50)).toContain('Result 50 of 50 from the last, tool 11:');
});

test.each(['/clear', '/load'])('after %s the results of before are gone', async command => {
  const { ask, folder, type } = place([[call('echo')], [content('done')]]);
  await ask('Call it.');
  expect((await type('/expand'))?.output).toContain('echo:\nsaid');
  const file = join(folder, 'talk.json');
  await type(`/save ${file}`);
  await type(command === '/load' ? `/load ${file}` : command);
  expect((await type('/expand'))?.output).toBe('No tool has returned a result yet.');
});
