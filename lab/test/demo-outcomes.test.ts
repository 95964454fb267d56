import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempFolder } from '../../test/model/temp-folder.ts';
import { outcomes } from '../demo/outcomes.mjs';

it('a run goes on where the one before was killed, also in the middle of a line', () => {
  const file = join(tempFolder({}), 'new', 'a.jsonl');
  const first = outcomes(file);
  expect(first.known({ id: 'a' })).toBeUndefined();
  first.add({ id: 'a' }, { verdict: 'right', calls: [2n] });
  appendFileSync(file, '[{"id":"b"},{"verd');

  const second = outcomes(file);
  expect(second.known({ id: 'a' })).toEqual({ verdict: 'right', calls: [2] });
  expect(second.known({ id: 'b' })).toBeUndefined();
  second.add({ id: 'b' }, { verdict: 'denied' });

  const third = outcomes(file);
  expect(third.known({ id: 'b' })).toEqual({ verdict: 'denied' });
  expect(third.known({ id: 'a', user: 'changed' })).toBeUndefined();
  expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(4);
});
