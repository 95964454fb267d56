import { expect, test } from 'vitest';
import { withoutReadingNotes } from '../../../src/agent/results/kept-reading.ts';
import { LongResults } from '../../../src/agent/results/long-results.ts';
import { ResourceLinks } from '../../../src/agent/results/resource-links.ts';
import type { Message } from '../../../src/chat/message.ts';
import { answer, FakeHost } from '../fakes.ts';

const LINES = Array.from({ length: 400 }, (_, at) => `line ${at + 1} of "it", that is`).join('\n');
const OPTIONS = { timeoutMs: 1000 };
const result = (content: string): Message => ({ role: 'tool', tool_call_id: 'c', name: 'read', content });

function without(content: string): string {
  return withoutReadingNotes([result(content)])[0]?.content ?? '';
}

test('every note that says how to read on goes, and nothing else', async () => {
  const results = new LongResults(new FakeHost({ read: answer('x') }));
  const first = results.cut('read', LINES, 1000);
  const reference = /"result": "(\w+)"/.exec(first)?.[1];
  const read = async (args: object) =>
    (await results.joined().call('read_result', { result: reference, ...args }, OPTIONS)).text;
  const part = await read({ part: 2 });
  const found = await read({ search: '0 of "it"' });
  const shrunk = results.shrink('read_result', part, 400);
  const whole = results.cut('other', 'x'.repeat(2e6), 1000);
  for (const text of [first, found, shrunk, whole]) expect(text).toContain('{"result": "');
  expect(without(first)).toBe(`${LINES.slice(0, 1000)}\n... [cut: 1000 of ${LINES.length} characters]`);
  expect(without(part)).toBe(part);
  expect(without(found)).toMatch(/\n\[there are more places\]$/);
  expect(without(shrunk)).toMatch(/\n\.\.\. \[part 3 of \d+\]$/);
  expect(without(whole)).toMatch(/x\n\.\.\. \[cut: 1000 of 2000000 characters\]$/);
  // What follows the note stays.
  expect(without(`${first}\n\nAnother call`)).toBe(`${without(first)}\n\nAnother call`);
});

test('notes of links go too, whatever the address', async () => {
  for (const uri of ['memo://a', 'memo://"b"]', 'memo://\\']) {
    const host = Object.assign(
      new FakeHost({
        list: async () => ({ text: 'see', isError: false, links: [{ server: 'fake', uri }] }),
      }),
      { readResource: answer('all of it') },
    );
    const { text } = await new ResourceLinks(host).joined().call('list', {}, OPTIONS);
    expect(text).toContain('reads the link');
    expect(without(text)).toBe('see');
  }
});

test('only results of tools change', () => {
  const content = '\n[read_resource {"uri":"memo://a"} reads the link]';
  const messages: Message[] = [
    { role: 'user', content },
    { role: 'assistant', content },
  ];
  expect(withoutReadingNotes(messages)).toEqual(messages);
});

test.each([
  '\n[a {"uri":"',
  '\n[there are more places; {"result": "r1", ',
  '\n... [cut: 1 of 1 characters; ',
])('many beginnings of %j take no time', text => {
  const started = performance.now();
  without(text.repeat(20_000));
  expect(performance.now() - started).toBeLessThan(5000);
});
