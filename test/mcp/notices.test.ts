import { expect, test } from 'vitest';
import { eventSentence } from '../../src/mcp/notices.ts';

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
