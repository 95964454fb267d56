import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  readSession,
  type SavedSession,
  SessionFolder,
  writeSession,
} from '../../../src/cli/session/saved-sessions.ts';
import { exportSession, formatOf } from '../../../src/cli/session/session-export.ts';
import { tempFolder } from '../../model/temp-folder.ts';

const session = (text: string): SavedSession => ({
  version: 1,
  model: 'demo',
  created: '2026-01-02T03:04:05.000Z',
  updated: '2026-01-02T03:05:00.000Z',
  messages: [
    { role: 'system', content: 'SYS' },
    { role: 'user', content: text },
    {
      role: 'assistant',
      content: '',
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'add', arguments: { a: 1 } } }],
    },
    { role: 'tool', tool_call_id: 'c', name: 'add', content: '```\n<b>&' },
    { role: 'assistant', content: 'done' },
  ],
});

describe('conversations of -p', () => {
  test('300 of them push no chat out of the list, are found by words, resumed as the latest, and pruned apart', () => {
    const folder = new SessionFolder(tempFolder());
    const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute));
    writeSession(folder.newFile(at(0)), session('the chat'));
    for (let minute = 1; minute <= 300; minute++) {
      writeSession(folder.newFile(at(minute), true), session(`question ${minute}`));
      folder.prune();
    }
    expect(folder.list().map(({ title }) => title)).toEqual(['the chat']);
    expect(folder.latest()?.title).toBe('question 300');
    expect(folder.list('question 300').map(({ title }) => title)).toEqual(['question 300']);
    expect(folder.list('question')).toHaveLength(200);
    for (let minute = 301; minute <= 510; minute++) writeSession(folder.newFile(at(minute)), session('more'));
    folder.prune();
    expect([folder.list().length, folder.list('question').length]).toEqual([200, 200]);
  });
});

describe('a saved session', () => {
  test('is read back as it was, and only its owner may read the file', () => {
    const path = join(tempFolder(), 'deep', 'one.json');
    writeSession(path, session('hi'));
    writeSession(path, session('again'));
    expect(readSession(path)).toEqual(session('again'));
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test.each([
    ['a device', '/dev/zero', undefined, 'The session /dev/zero is not a file'],
    [
      '200,000 messages',
      'many.json',
      JSON.stringify(Array(200_000).fill({ role: 'user', content: 'x' })),
      'at most 10000',
    ],
    [
      'deep arguments',
      'deep.json',
      `[${'['.repeat(200_000)}${']'.repeat(200_000)}]`,
      'nested more than 100 levels',
    ],
  ])('%s: refused at once, with the reason', (_what, name, text, reason) => {
    const path = text === undefined ? name : join(tempFolder(), name);
    if (text !== undefined) writeFileSync(path, text);
    const started = performance.now();
    expect(() => readSession(path)).toThrow(reason);
    expect(performance.now() - started).toBeLessThan(2000);
  });

  test('a bare list of messages is one too', () => {
    const path = join(tempFolder(), 'list.json');
    writeFileSync(path, JSON.stringify(session('hi').messages));
    expect(readSession(path).messages).toEqual(session('hi').messages);
  });

  test.each(['', '{', 'null', '{"messages":1}', '[{"role":"x"}]', '{"version":2,"messages":[]}'])(
    '%j is refused with the path',
    text => {
      const path = join(tempFolder(), 'bad.json');
      writeFileSync(path, text);
      expect(() => readSession(path)).toThrow(path);
    },
  );

  test('a place that cannot be written is an error with the path', () => {
    const folder = tempFolder();
    mkdirSync(join(folder, 'taken.json'));
    expect(() => writeSession(join(folder, 'taken.json'), session('x'))).toThrow(/cannot be saved to/);
  });
});

test('a saved result says no longer how to read on in it', () => {
  const path = join(tempFolder(), 'talk.json');
  const note = (rest: string) => `beginning\n... [cut: 9 of 5000 characters${rest}]`;
  const call = 'read_result {"result": "r1a2b3", ';
  const saved = session('hi');
  const messages = saved.messages.map(message =>
    message.role === 'tool'
      ? {
          ...message,
          content: note(
            `; this was part 1 of 9. ${call}"part": 2} reads on, ${call}"search": "words"} finds words`,
          ),
        }
      : message,
  );
  writeSession(path, { ...saved, messages });
  const read = readSession(path).messages.find(({ role }) => role === 'tool');
  expect(read?.content).toBe(note(''));
});

describe('the folder of kept sessions', () => {
  test('a long title ends with an ellipsis, and never in half of a character', () => {
    const folder = new SessionFolder(tempFolder());
    writeSession(folder.newFile(new Date(1)), session(`${'😀 '.repeat(50)}`));
    writeSession(folder.newFile(new Date(2)), session('  a title\nof two lines '));
    const [short, long] = folder.list().map(({ title }) => title);
    expect(short).toBe('a title of two lines');
    expect(long).toBe(`${'😀 '.repeat(29)}😀…`);
  });

  test('lists the newest first, passes over other files, finds words', () => {
    const folder = new SessionFolder(tempFolder());
    writeSession(join(folder.path, '2026-01-01.json'), session('about cats'));
    writeSession(join(folder.path, '2026-01-02.json'), session('about dogs\nand more'));
    writeFileSync(join(folder.path, 'zz.json'), 'junk');
    expect(folder.list().map(({ title }) => title)).toEqual(['about dogs and more', 'about cats']);
    expect(folder.list('CATS about').map(({ title }) => title)).toEqual(['about cats']);
    expect(folder.list('cats dogs')).toEqual([]);
  });

  test('is empty when it does not exist, and keeps no more than 200', () => {
    expect(new SessionFolder('/nowhere/at/all').list()).toEqual([]);
    const folder = new SessionFolder(tempFolder());
    for (let number = 0; number < 205; number++) {
      writeFileSync(join(folder.path, `${1000 + number}.json`), '[]');
    }
    folder.prune();
    expect(folder.list()).toHaveLength(200);
    expect(folder.list()[0]?.path).toContain('1204.json');
  });

  test('a draft that a killed process left goes after an hour, and nothing else', () => {
    const folder = new SessionFolder(tempFolder());
    const yesterday = new Date(Date.now() - 86_400_000);
    for (const name of ['left.json.123.tmp', 'mine.json.cache.tmp', 'kept.json', 'fresh.json.124.tmp']) {
      writeFileSync(join(folder.path, name), '[]');
      if (!name.startsWith('fresh')) utimesSync(join(folder.path, name), yesterday, yesterday);
    }
    folder.prune();
    expect(readdirSync(folder.path).sort()).toEqual([
      'fresh.json.124.tmp',
      'kept.json',
      'mine.json.cache.tmp',
    ]);
  });
});

describe('an exported session', () => {
  test('markdown: a heading a message, fences that the text cannot break', () => {
    const text = exportSession(session('hi'), 'markdown');
    expect(text).toContain('## User\n\nhi\n');
    expect(text).toContain('## Tool: add\n\n````\n```\n<b>&\n````\n');
    expect(text).toContain('Calls `add`:');
  });

  test('html: text is escaped', () => {
    const text = exportSession(session('<script>"'), 'html');
    expect(text).toContain('&lt;script&gt;&quot;');
    expect(text).not.toContain('<script>');
    expect(text).toContain('&lt;b&gt;&amp;');
  });

  test('json: the session itself', () => {
    expect(JSON.parse(exportSession(session('hi'), 'json'))).toEqual(session('hi'));
  });

  test.each([
    ['a.md', 'markdown'],
    ['notes.HTML', 'html'],
    ['x.json', 'json'],
    ['x.pdf', undefined],
    ['plain', undefined],
  ])('%s -> %s', (name, format) => {
    expect(formatOf(name)).toBe(format);
  });
});
