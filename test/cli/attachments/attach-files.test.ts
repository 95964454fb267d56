import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type AttachOptions, attachFiles } from '../../../src/cli/attachments/attach-files.ts';

/** A folder with these files, and what attaching there gives. */
function place(files: Readonly<Record<string, string | Buffer>> = {}, options: Partial<AttachOptions> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'llm-host-attach-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const cwd = join(folder, 'work');
  mkdirSync(cwd);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(cwd, name, '..'), { recursive: true });
    writeFileSync(join(cwd, name), content);
  }
  const attach = (prompt: string) =>
    attachFiles(prompt, { cwd, servers: ['files'], contextLength: 8192, ...options });
  return { folder, cwd, attach };
}

describe('what is attached', () => {
  test('a file, with its name, whatever punctuation follows', () => {
    const { attach } = place({ 'notes.txt': 'milk\neggs\n' });
    for (const prompt of [
      '@notes.txt',
      'What is in @notes.txt?',
      '(see @notes.txt).',
      'read "@notes.txt"',
      'a\n@notes.txt: why',
    ]) {
      const { text, notices } = attach(prompt);
      expect(text).toBe('File notes.txt:\n```\nmilk\neggs\n```');
      expect(notices).toEqual(["Attached 'notes.txt': 2 lines, 10 bytes."]);
    }
  });

  test('several, each once, also with spaces in their names and in other folders', () => {
    const { attach, cwd } = place({ 'a b.txt': 'one', 'src/c.ts': 'two', "it's.txt": 'three' });
    const { text, notices } = attach(
      `@"a b.txt" @'a b.txt' @a\\ b.txt @src/c.ts @./src/c.ts @${cwd}/src/c.ts @it's.txt`,
    );
    expect(notices).toHaveLength(3);
    for (const part of ['one', 'two', 'three']) expect(text.split(part)).toHaveLength(2);
  });

  test('a name that ends in punctuation is tried first', () => {
    expect(place({ 'what?': 'one', what: 'two' }).attach('@what?').text).toContain('one');
  });

  test('a fence longer than those in the file', () => {
    expect(place({ 'a.md': '````\nx\n````' }).attach('@a.md').text).toContain('`````\n````');
  });
});

describe('what stays text', () => {
  test.each([
    'ada@example.org',
    'npm i @types/node',
    '@Override void f()',
    '\\@notes.txt',
    '@files:note://x',
    'a @ b',
    '@',
    '@"',
    "@''",
  ])('%s', prompt => {
    expect(place({ 'notes.txt': 'x', 'example.org': 'x' }).attach(prompt)).toEqual({ text: '', notices: [] });
  });

  test('a name like that of a file, with a notice and the nearest one', () => {
    const { attach, cwd } = place({ 'notes.txt': 'x' });
    expect(attach('see @note.txt.')).toEqual({
      text: '',
      notices: [`'@note.txt.' names no file in ${cwd} and stays text. Did you mean @notes.txt?`],
    });
  });
});

describe('what is refused before anything is sent', () => {
  const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  test.each([
    ['photo.png', PNG, "'photo.png' is an image: this model reads no images"],
    ['photo.txt', PNG, 'is an image'],
    ['paper.pdf', Buffer.from('%PDF-1.7\n%....'), "'paper.pdf' is not text but a PDF"],
    ['a.zip', Buffer.from('504b0304140000000800', 'hex'), 'an archive'],
    ['tool', Buffer.from('7f454c46020101000000', 'hex'), 'a program'],
    ['data.bin', Buffer.from([1, 2, 3, 4, 5, 6]), 'a binary file'],
    ['nul.txt', Buffer.from('text\0text'), 'a binary file'],
  ])('%s', (name, content, message) => {
    expect(() => place({ [name]: content }).attach(`@${name}`)).toThrow(message);
  });

  test('a folder, a device, a pipe, and a path that can only be a file and is missing', () => {
    const { attach, cwd } = place({ 'src/a.ts': 'x' });
    execFileSync('mkfifo', [join(cwd, 'pipe')]);
    for (const [prompt, message] of [
      ['@src', "'@src' is a folder"],
      ['@src/', 'is a folder'],
      ['@/dev/zero', 'not a file but a device'],
      ['@pipe', 'not a file but a device, a pipe'],
      ['@./b.ts', "'@./b.ts' does not exist"],
      ['@src/../src/b.ts @./src/b.ts', "'@./src/b.ts' does not exist. Did you mean @src/a.ts?"],
      ['@"b.ts"', 'does not exist'],
      ['@~/no/such/file', 'does not exist'],
      [`@/${'x'.repeat(5000)}`, 'does not exist'],
    ] as const)
      expect(() => attach(prompt), prompt).toThrow(message);
  });

  test('more files than a prompt takes', () => {
    const names = Array.from({ length: 21 }, (_, index) => `f${index}`);
    const { attach } = place(Object.fromEntries(names.map(name => [name, 'x'])));
    expect(() => attach(names.map(name => `@${name}`).join(' '))).toThrow(
      'at most 20 files, this one names 21',
    );
  });
});

describe('texts of every kind', () => {
  test('CRLF, a byte order mark, UTF-16, Latin-1 and hidden characters become plain text', () => {
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('gr\u00fcn', 'utf16le')]);
    const { attach } = place({
      crlf: 'a\r\nb\rc',
      bom: '\ufeffabc',
      utf16,
      latin1: Buffer.from('gr\u00fcn', 'latin1'),
      hidden: 'a\u001b[31mb\u001b]52;c;eA==\u0007\u200bc',
      empty: '',
    });
    const body = (name: string) => attach(`@${name}`).text.split('\n').slice(2, -1).join('\n');
    expect(['crlf', 'bom', 'utf16', 'latin1', 'hidden', 'empty'].map(body)).toEqual([
      'a\nb\nc',
      'abc',
      'gr\u00fcn',
      'gr\u00fcn',
      'abc',
      '',
    ]);
    expect(attach('@latin1').notices[0]).toContain('read as Windows-1252, since it is not UTF-8');
    expect(attach('@empty').notices[0]).toContain('0 lines');
  });

  test('a link out of the folder is followed, and the notice says where to', () => {
    const { attach, folder, cwd } = place({ 'a.log': 'x' });
    writeFileSync(join(folder, 'secret.txt'), 'hidden');
    symlinkSync(join(folder, 'secret.txt'), join(cwd, 'link.txt'));
    symlinkSync('a.log', join(cwd, 'latest.log'));
    symlinkSync('loop', join(cwd, 'loop'));
    expect(attach('@link.txt').notices[0]).toContain(`a link to '${join(folder, 'secret.txt')}'`);
    expect(attach('@latest.log').notices[0]).toBe("Attached 'latest.log': 1 line, 1 byte.");
    expect(() => attach('@loop')).toThrow('cannot be read');
  });
});

describe('what does not fit the context', () => {
  test('is cut after a line, which the notice and the text say; small files stay whole', () => {
    const line = `${'x'.repeat(99)}\n`;
    const { attach } = place(
      { 'big.log': line.repeat(50_000), 'small.txt': 'whole' },
      { contextLength: 1000 },
    );
    const { text, notices } = attach('@big.log @small.txt');
    expect(notices).toEqual([
      "Attached 'small.txt': 1 line, 5 bytes.",
      "Attached 'big.log': the first 1899 characters of 5.0 MB; the rest does not fit the context.",
    ]);
    expect(text).toContain('[... the rest of the file was left out]');
    expect(text.length).toBeLessThan(2200);
  });

  test('never splits a character', () => {
    const { attach } = place(
      { 'a.txt': '\u{1f600}'.repeat(5000), 'b.txt': `x${'\u{1f600}'.repeat(5000)}` },
      { contextLength: 1000 },
    );
    for (const name of ['a.txt', 'b.txt']) expect(attach(`@${name}`).text.isWellFormed()).toBe(true);
    expect(attach('@b.txt').text).not.toContain('\ufffd');
  });
});
