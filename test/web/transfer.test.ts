import { expect, it } from 'vitest';
import { readAttachment } from '../../web/conversation/attach.ts';
import { exportedJson, exportedMarkdown, fileNameOf } from '../../web/conversation/export.ts';
import { readExport } from '../../web/conversation/import.ts';
import { reply, sample } from './messages.ts';

it('what was exported is imported as it was, but for what belongs to a running reply', () => {
  const call = {
    type: 'call',
    id: 'call_1',
    name: 'add',
    arguments: { a: 1 },
    state: 'asking',
    question: { approval: 'x', reason: 'rule' },
  } as const;
  const before = sample();
  const messages = {
    ...before.messages,
    a5: reply('a5', 'q3', [call, { type: 'text', text: 'Hi' }], { state: 'writing' }),
  };
  const [after] = readExport(exportedJson([{ ...before, messages }]));
  expect(after).toEqual({
    ...before,
    messages: {
      ...Object.fromEntries(
        Object.entries(before.messages).map(([id, one]) => [
          id,
          'writer' in one ? { ...one, writer: '' } : one,
        ]),
      ),
      a5: {
        ...messages.a5,
        state: 'stopped',
        writer: '',
        parts: [
          { type: 'call', id: 'call_1', name: 'add', arguments: { a: 1 }, state: 'ended' },
          { type: 'text', text: 'Hi' },
        ],
      },
    },
  });
});

it('when title and settings were chosen is imported too', () => {
  const chosen = { ...sample(), titled: 7, configured: 8 };
  expect(readExport(exportedJson([chosen]))[0]).toMatchObject({ titled: 7, configured: 8 });
});

it('figures of replies and the servers of calls come back, if they are ones', () => {
  const call = {
    type: 'call',
    id: 'call_1',
    name: 'add',
    arguments: {},
    state: 'done',
    server: 'calculator',
    result: '2',
    seconds: 1,
  } as const;
  const figures = {
    usage: { promptTokens: 900, cachedTokens: 800, replyTokens: 20 },
    promptTokens: 500,
    writingMs: 1234,
  };
  const imported = (more: object) => {
    const a5 = { ...reply('a5', 'q3', [call], { writer: '' }), ...more };
    const whole = sample();
    const text = exportedJson([{ ...whole, messages: { ...whole.messages, a5 } }]);
    return readExport(text)[0]?.messages.a5;
  };
  const plain = reply('a5', 'q3', [call], { writer: '' });
  expect(imported(figures)).toEqual({ ...plain, ...figures });
  expect(imported({ usage: { promptTokens: 1 }, promptTokens: 'x', writingMs: -1 })).toEqual(plain);
  expect(() => imported({ usage: 7 })).toThrow('usage is not as exported');
});

const file = (conversation: unknown) =>
  JSON.stringify({ format: 'llm-host conversations', version: 1, conversations: [conversation] });
const head = { id: 'c', title: 't', created: 0, updated: 0 };
const user = { id: 'q', role: 'user', created: 0, text: 'Hi' };

it.each([
  ['nothing', '', /not JSON/],
  ['a list', '[]', /not as exported/],
  ['another format', '{"format":"x"}', /not exported by llm-host/],
  ['another version', '{"format":"llm-host conversations","version":2}', /another version/],
  ['no list', '{"format":"llm-host conversations","version":1,"conversations":{}}', /no list/],
  ['null', file(null), /not as exported/],
  ['no id', file({ ...head, id: 1, messages: {} }), /an id/],
  ['an id that is a path', file({ ...head, id: '../x', messages: {} }), /an id/],
  ['__proto__ as id', file({ ...head, messages: { q: { ...user, id: '__proto__' } } }), /an id/],
  ['a time that is none', file({ ...head, created: 'now', messages: {} }), /a time/],
  [
    'a message that follows nothing',
    file({ ...head, messages: { q: { ...user, parent: 'x' } } }),
    /follows one/,
  ],
  ['another role', file({ ...head, messages: { q: { ...user, role: 'system' } } }), /neither/],
  ['a text that is none', file({ ...head, messages: { q: { ...user, text: {} } } }), /not a text/],
  [
    'a part of another kind',
    file({ ...head, messages: { q: { ...user, role: 'assistant', model: 'm', parts: [{ type: 'html' }] } } }),
    /unknown kind/,
  ],
])('%s is refused in words', (_what, text, message) => {
  expect(() => readExport(text)).toThrow(message);
});

it('a file cannot bring other fields, a model of objects, or wrong settings', () => {
  const settings = {
    model: 5,
    system: 'S',
    tools: 'yes',
    ask: 'never',
    sampling: { seed: 3, top_p: 'x', x: 1 },
  };
  const [read] = readExport(file({ ...head, evil: 1, settings, messages: { q: { ...user, html: '<b>' } } }));
  expect(read).not.toHaveProperty('evil');
  expect(read?.messages.q).not.toHaveProperty('html');
  expect(read?.settings).toEqual({ system: 'S', sampling: { seed: 3 }, tools: true, ask: 'rules' });
});

it('markdown has the shown branch; names of files are plain', () => {
  expect(exportedMarkdown(sample())).toBe(
    '# q1\n\n## You\n\nq1\n\n## m\n\na2\n\n## You\n\nq3\n\n## m\n\na5\n',
  );
  expect(fileNameOf('Was ist das?/../x')).toBe('was-ist-das-x');
  expect(fileNameOf('???')).toBe('conversation');
});

it('only texts are attached, of a size that a prompt can hold, under clean names', async () => {
  const made = (bytes: BlobPart, name = 'a.txt') => new File([bytes], name);
  expect(await readAttachment(made('a\r\nb', 'x\u202egpj.\ny'))).toEqual({ name: 'xgpj.y', text: 'a\nb' });
  await expect(readAttachment(made(new Uint8Array([0xff, 0xfe])))).rejects.toThrow(
    'not a text file in UTF-8',
  );
  await expect(readAttachment(made('a\0b'))).rejects.toThrow('not a text file');
  await expect(readAttachment(made('x'.repeat(1024 * 1024 + 1)))).rejects.toThrow('larger than 1 MB');
  expect(await readAttachment(made(''))).toEqual({ name: 'a.txt', text: '' });
});
