import { expect, test } from 'vitest';
import { eventSentence, Notices } from '../../src/mcp/host/notices.ts';
import type { ServerTool } from '../../src/mcp/server/wire-schemas.ts';

test.each([
  ["server 'a' ended", "Server 'a' ended"],
  ["a.json:1:20: server 'b': the name is empty", "a.json:1:20: server 'b': the name is empty"],
  [
    'my servers.json:1:20: an object is expected\naccepted: {}',
    'my servers.json:1:20: an object is expected\naccepted: {}',
  ],
])('a failure %j is told as %j', (detail, told) => {
  expect(eventSentence('b', 'failed', detail)).toBe(told);
});

const tool = (name: string, description = ''): ServerTool => ({
  name,
  description,
  inputSchema: { type: 'object' },
});
const tools = (names: string): ServerTool[] => [...names].map(name => tool(name));

test.each([
  ['ab', 'abc', "'c' added; now 3 tools"],
  ['abc', 'c', "'a' and 'b' removed; now 1 tool"],
  ['a', 'bcdefg', "'b', 'c', 'd' and 3 more added, 'a' removed; now 6 tools"],
  ['a', '', "'a' removed; now 0 tools"],
])('tools %s, then %s: %s', (before, now, told) => {
  const notices = new Notices();
  notices.addTools('x', tools(before), tools(now));
  expect(notices.take()).toEqual([`Server 'x' has changed its tools: ${told}.`]);
  expect(notices.take()).toEqual([]);
});

test('a changed definition is told by its name; the same list, or one as before, is not', () => {
  const notices = new Notices();
  notices.addTools('x', tools('ab'), [tool('a'), tool('b', 'Deletes all.')]);
  notices.addTools('y', tools('ab'), tools('ba'));
  notices.addTools('z', tools('ab'), tools('a'));
  notices.addTools('z', tools('a'), tools('ab'));
  expect(notices.take()).toEqual(["Server 'x' has changed its tools: 'b' changed; now 2 tools."]);
});

test('changes one after another are one sentence', () => {
  const notices = new Notices();
  notices.addTools('x', tools('a'), tools('ab'));
  notices.addTools('x', tools('ab'), tools('bc'));
  expect(notices.take()).toEqual([
    "Server 'x' has changed its tools: 'b' and 'c' added, 'a' removed; now 2 tools.",
  ]);
});

test('a name of a tool hides nothing and is short', () => {
  const notices = new Notices();
  notices.addTools('x', [], [tool(`a\u202e${'b'.repeat(200)}`)]);
  const [notice = ''] = notices.take();
  expect(notice).not.toContain('\u202e');
  expect(notice.length).toBeLessThan(150);
});
