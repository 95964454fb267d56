import { expect, test } from 'vitest';
import { place, says } from '../builtins/place.ts';

test('the system message follows the instructions of servers, and is gone when none has any', async () => {
  let systemText = '';
  const { ask, roles, session, type } = place(says('1', '2', '3'), { systemText: () => systemText });
  await ask('A');
  expect(roles()).toBe('user assistant');
  systemText = 'files:\nRead before you write.';
  await ask('B');
  expect(session.history.messages[0]).toEqual({ role: 'system', content: systemText });
  systemText = '';
  await ask('C');
  expect(roles()).toBe('user assistant user assistant user assistant');
  expect((await type('/system'))?.output).toBe('There is no system prompt.');
});
