import { expect, test } from 'vitest';
import { forgetUnsetCi, wantsScreen } from '../../../src/cli/chat/run-chat.ts';

test.each([
  [{}, true],
  [{ TERM: 'dumb' }, false],
  [{ CI: 'true' }, false],
  [{ CI: '1' }, false],
  [{ CONTINUOUS_INTEGRATION: 'true' }, false],
  [{ CI: 'false', CONTINUOUS_INTEGRATION: '1' }, false],
  [{ CI: '' }, true],
  [{ CI: '0' }, true],
  [{ CI: 'false', CONTINUOUS_INTEGRATION: '' }, true],
])('with %j the screen is wanted: %s', (env, wanted) => {
  expect(wantsScreen(false, env, true)).toBe(wanted);
  expect(wantsScreen(true, env, true)).toBe(false);
  expect(wantsScreen(false, env, false)).toBe(false);
});

test('a variable that says nothing is taken away, one that says something stays', () => {
  const env = { CI: '', CONTINUOUS_INTEGRATION: 'false', TERM: 'xterm' };
  forgetUnsetCi(env);
  expect(env).toEqual({ TERM: 'xterm' });
  const set = { CI: 'true' };
  forgetUnsetCi(set);
  expect(set).toEqual({ CI: 'true' });
});
