import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LlmHostError } from '../../src/errors.ts';
import { filesTools, runFilesServer } from '../../src/servers/files.ts';
import { callTool, schemaOf } from '../../src/servers/tool-server.ts';

const MEGABYTE = 1024 * 1024;
let scratch = '';
let root = '';

beforeEach(() => {
  scratch = realpathSync(mkdtempSync(join(tmpdir(), 'llm-host-files-')));
  root = join(scratch, 'root');
  mkdirSync(join(root, 'sub'), { recursive: true });
  writeFileSync(join(root, 'a.txt'), 'hello');
  writeFileSync(join(root, 'sub', 'b.txt'), 'below');
  writeFileSync(join(scratch, 'outside.txt'), 'private');
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

const run = (name: string, args: Record<string, unknown>) => callTool(filesTools(root), name, args);

async function refused(name: string, args: Record<string, unknown>, text: string): Promise<void> {
  expect(await run(name, args)).toEqual({ text, isError: true });
  expect(readFileSync(join(scratch, 'outside.txt'), 'utf8')).toBe('private');
}

/** Every tool that takes a file, with the rest of its arguments. */
const FILE_TOOLS: [name: string, more: Record<string, unknown>][] = [
  ['read_file', {}],
  ['write_file', { content: 'x' }],
  ['delete_file', {}],
];

describe('list_files', () => {
  it('lists folders first, with a slash, then files, each in order', async () => {
    writeFileSync(join(root, 'Z.txt'), '');
    expect((await run('list_files', {})).text).toBe('sub/\nZ.txt\na.txt');
    expect((await run('list_files', { directory: '' })).text).toBe('sub/\nZ.txt\na.txt');
    expect((await run('list_files', { directory: '.' })).text).toBe('sub/\nZ.txt\na.txt');
    expect((await run('list_files', { directory: null })).text).toBe('sub/\nZ.txt\na.txt');
    expect((await run('list_files', { directory: 'sub/' })).text).toBe('b.txt');
  });

  it('says when a folder is empty, missing or a file', async () => {
    mkdirSync(join(root, 'empty'));
    expect(await run('list_files', { directory: 'empty' })).toEqual({
      text: 'The directory is empty.',
      isError: false,
    });
    await refused('list_files', { directory: 'none' }, 'Error: Folder not found: none');
    await refused('list_files', { directory: 'a.txt' }, 'Error: a.txt is a file, not a folder.');
    await refused('list_files', { directory: 'a.txt/x' }, 'Error: Folder not found: a.txt/x');
  });

  it('bounds a long list and keeps each name on its line', async () => {
    mkdirSync(join(root, 'many'));
    for (let count = 0; count < 1005; count++) writeFileSync(join(root, 'many', `f${count}`), '');
    const lines = (await run('list_files', { directory: 'many' })).text.split('\n');
    expect(lines).toHaveLength(1001);
    expect(lines.at(-1)).toBe('... and 5 more');
    writeFileSync(join(root, 'sub', 'two\nlines\u001b[2J'), '');
    expect((await run('list_files', { directory: 'sub' })).text).toBe('b.txt\ntwo?lines?[2J');
  });
});

describe('read_file', () => {
  it('gives the text of a file', async () => {
    writeFileSync(join(root, 'ü 漢.txt'), 'é😀\r\n\tx');
    writeFileSync(join(root, 'empty'), '');
    expect(await run('read_file', { filename: 'a.txt' })).toEqual({ text: 'hello', isError: false });
    expect((await run('read_file', { filename: 'b.txt', directory: 'sub' })).text).toBe('below');
    expect((await run('read_file', { filename: 'sub/b.txt' })).text).toBe('below');
    expect((await run('read_file', { filename: 'ü 漢.txt' })).text).toBe('é😀\r\n\tx');
    expect(await run('read_file', { filename: 'empty' })).toEqual({ text: '', isError: false });
  });

  it('refuses binary content and files over 1 MB', async () => {
    writeFileSync(join(root, 'nul'), 'a\0b');
    writeFileSync(join(root, 'latin'), Buffer.from([0x61, 0xe9, 0x62]));
    writeFileSync(join(root, 'exact'), 'x'.repeat(MEGABYTE));
    writeFileSync(join(root, 'large'), 'x'.repeat(MEGABYTE + 1));
    await refused('read_file', { filename: 'nul' }, 'Error: nul is not a text file.');
    await refused('read_file', { filename: 'latin' }, 'Error: latin is not a text file.');
    expect((await run('read_file', { filename: 'exact' })).text).toHaveLength(MEGABYTE);
    await refused('read_file', { filename: 'large' }, 'Error: large is larger than the limit of 1 MB.');
  });
});

describe('write_file', () => {
  it('makes and replaces files', async () => {
    expect(await run('write_file', { filename: 'notes.txt', content: 'hello world\n' })).toEqual({
      text: 'Wrote 12 bytes to notes.txt.',
      isError: false,
    });
    expect((await run('write_file', { filename: 'é', content: 'é', directory: 'sub' })).text).toBe(
      'Wrote 2 bytes to sub/é.',
    );
    expect((await run('write_file', { filename: 'a.txt', content: '!' })).text).toBe(
      'Wrote 1 byte to a.txt.',
    );
    expect((await run('write_file', { filename: 'none', content: '' })).text).toBe('Wrote 0 bytes to none.');
    expect(readFileSync(join(root, 'notes.txt'), 'utf8')).toBe('hello world\n');
    expect(readFileSync(join(root, 'sub', 'é'), 'utf8')).toBe('é');
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('!');
    expect(readdirSync(root).sort()).toEqual(['a.txt', 'none', 'notes.txt', 'sub']);
  });

  it('keeps the mode of an existing file and leaves other links to it alone', async () => {
    chmodSync(join(root, 'a.txt'), 0o640);
    linkSync(join(root, 'a.txt'), join(root, 'hard'));
    await run('write_file', { filename: 'a.txt', content: 'new' });
    expect(statSync(join(root, 'a.txt')).mode & 0o777).toBe(0o640);
    expect(readFileSync(join(root, 'hard'), 'utf8')).toBe('hello');
  });

  it('writes through a link inside the root', async () => {
    symlinkSync('sub/b.txt', join(root, 'link'));
    await run('write_file', { filename: 'link', content: 'new' });
    expect(readFileSync(join(root, 'sub', 'b.txt'), 'utf8')).toBe('new');
  });

  it('shows a reader either the old or the new content, never a part', async () => {
    const old = 'o'.repeat(MEGABYTE);
    const fresh = 'n'.repeat(MEGABYTE);
    writeFileSync(join(root, 'a.txt'), old);
    const writes = Promise.all(
      [1, 2, 3, 4].map(() => run('write_file', { filename: 'a.txt', content: fresh })),
    );
    let done = false;
    void writes.then(() => {
      done = true;
    });
    const allowed = [old, fresh, 'Error: a.txt was changed while it was opened.'];
    while (!done) expect(allowed).toContain((await run('read_file', { filename: 'a.txt' })).text);
    expect(readdirSync(root).sort()).toEqual(['a.txt', 'sub']);
  });

  it('refuses content over 1 MB and folders that do not exist', async () => {
    const content = 'é'.repeat(MEGABYTE / 2 + 1);
    await refused(
      'write_file',
      { filename: 'x', content },
      'Error: The content is larger than the limit of 1 MB.',
    );
    await refused(
      'write_file',
      { filename: 'x', content: '', directory: 'none' },
      'Error: Folder not found: none',
    );
    await refused('write_file', { filename: 'none/x', content: '' }, 'Error: Folder not found: none');
    expect(readdirSync(root).sort()).toEqual(['a.txt', 'sub']);
  });

  it.skipIf(process.getuid?.() === 0)(
    'leaves a read-only file alone (not seen by root, who may write all)',
    async () => {
      chmodSync(join(root, 'a.txt'), 0o444);
      await refused('write_file', { filename: 'a.txt', content: 'x' }, 'Error: Permission denied.');
      expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('hello');
    },
  );
});

describe('delete_file', () => {
  it('deletes files only', async () => {
    expect(await run('delete_file', { filename: 'a.txt' })).toEqual({
      text: 'Deleted a.txt.',
      isError: false,
    });
    await refused('delete_file', { filename: 'a.txt' }, 'Error: File not found: a.txt');
    await refused('delete_file', { filename: 'sub' }, 'Error: sub is a folder, not a file.');
    expect(readdirSync(root)).toEqual(['sub']);
  });

  it('deletes a link, and not what it leads to', async () => {
    symlinkSync('a.txt', join(root, 'link'));
    symlinkSync('../a.txt', join(root, 'sub', 'up'));
    symlinkSync('sub', join(root, 'folder'));
    expect((await run('delete_file', { filename: 'link' })).text).toBe('Deleted link.');
    expect((await run('delete_file', { filename: 'up', directory: 'folder' })).text).toBe(
      'Deleted folder/up.',
    );
    expect((await run('delete_file', { filename: 'folder' })).text).toBe('Deleted folder.');
    expect(readdirSync(root).sort()).toEqual(['a.txt', 'sub']);
    expect(readdirSync(join(root, 'sub'))).toEqual(['b.txt']);
  });

  it('deletes no link outside the root, though it leads back in', async () => {
    symlinkSync(join(root, 'a.txt'), join(scratch, 'back'));
    symlinkSync(scratch, join(root, 'out'));
    await refused(
      'delete_file',
      { filename: 'back', directory: 'out' },
      'Error: out/back leads out of the folder.',
    );
    expect(readdirSync(scratch).sort()).toEqual(['back', 'outside.txt', 'root']);
  });
});

describe.each(FILE_TOOLS)('%s', (name, more) => {
  const refuses = (args: Record<string, unknown>, text: string) => refused(name, { ...args, ...more }, text);

  it('refuses to leave the root by ..', async () => {
    for (const filename of ['../outside.txt', 'sub/../../outside.txt', '..', 'sub\\..\\..\\outside.txt']) {
      await refuses({ filename }, `Error: ".." is not allowed in a path: ${filename}`);
    }
    await refuses({ filename: 'outside.txt', directory: '..' }, 'Error: ".." is not allowed in a path: ..');
  });

  it('refuses absolute paths', async () => {
    for (const filename of [
      join(scratch, 'outside.txt'),
      join(root, 'a.txt'),
      '\\\\host\\share',
      'C:\\x',
      'c:/x',
    ]) {
      await refuses(
        { filename },
        `Error: Absolute paths are not allowed: ${filename}. Use a path inside the folder.`,
      );
    }
    await refuses(
      { filename: 'x', directory: '/etc' },
      'Error: Absolute paths are not allowed: /etc. Use a path inside the folder.',
    );
  });

  it('refuses NUL and empty names', async () => {
    await refuses({ filename: 'a.txt\0.png' }, 'Error: A path must not contain a NUL character.');
    await refuses({ filename: '' }, 'Error: The filename is empty.');
    await refuses({ filename: 'x'.repeat(300) }, 'Error: The path is too long.');
    await refuses({ filename: `${'deep/'.repeat(2000)}x` }, 'Error: The path is too long.');
  });

  it('refuses links that lead out, of the file and of a folder on the way', async () => {
    symlinkSync(join(scratch, 'outside.txt'), join(root, 'leak'));
    symlinkSync('../outside.txt', join(root, 'relative'));
    symlinkSync(scratch, join(root, 'up'));
    symlinkSync('up', join(root, 'chain'));
    await refuses({ filename: 'leak' }, 'Error: leak leads out of the folder.');
    await refuses({ filename: 'relative' }, 'Error: relative leads out of the folder.');
    await refuses(
      { filename: 'outside.txt', directory: 'up' },
      'Error: up/outside.txt leads out of the folder.',
    );
    await refuses({ filename: 'chain/outside.txt' }, 'Error: chain/outside.txt leads out of the folder.');
    await refuses({ filename: 'up/new.txt' }, 'Error: up/new.txt leads out of the folder.');
    expect(readdirSync(scratch).sort()).toEqual(['outside.txt', 'root']);
  });

  it('refuses a folder beside the root whose name begins like it', async () => {
    mkdirSync(join(scratch, 'root-secret'));
    writeFileSync(join(scratch, 'root-secret', 'x'), 'x');
    symlinkSync(join(scratch, 'root-secret'), join(root, 'link'));
    await refuses({ filename: 'x', directory: 'link' }, 'Error: link/x leads out of the folder.');
  });

  it('refuses broken and circular links', async () => {
    symlinkSync(join(scratch, 'not-yet'), join(root, 'dangling'));
    symlinkSync('loop', join(root, 'loop'));
    await refuses({ filename: 'dangling' }, 'Error: dangling is a broken link.');
    await refuses({ filename: 'loop' }, 'Error: loop is a link to itself.');
    expect(readdirSync(scratch).sort()).toEqual(['outside.txt', 'root']);
  });

  it('refuses folders, pipes and other things that are no files, without waiting on them', async () => {
    execFileSync('mkfifo', [join(root, 'pipe')]);
    await refuses({ filename: 'sub' }, 'Error: sub is a folder, not a file.');
    await refuses({ filename: '.' }, 'Error: . is a folder, not a file.');
    await refuses({ filename: 'pipe' }, 'Error: pipe is not a regular file.');
  });

  it('follows links that stay inside', async () => {
    symlinkSync('sub', join(root, 'folder'));
    expect((await run(name, { filename: 'b.txt', directory: 'folder', ...more })).isError).toBe(false);
  });
});

it('list_files refuses to leave the root', async () => {
  symlinkSync(scratch, join(root, 'up'));
  await refused('list_files', { directory: '..' }, 'Error: ".." is not allowed in a path: ..');
  await refused(
    'list_files',
    { directory: '/' },
    'Error: Absolute paths are not allowed: /. Use a path inside the folder.',
  );
  await refused('list_files', { directory: 'up' }, 'Error: up leads out of the folder.');
});

it('describes its tools in the order and words that the demo model knows', () => {
  const strings = (names: string[], required: string[]) => ({
    type: 'object',
    properties: Object.fromEntries(names.map(name => [name, { type: 'string' }])),
    required,
  });
  const described = filesTools(root).map(tool => [tool.name, tool.description, schemaOf(tool)]);
  expect(described).toEqual([
    ['list_files', 'List the files in a directory.', strings(['directory'], [])],
    ['read_file', 'Read a text file.', strings(['filename', 'directory'], ['filename'])],
    [
      'write_file',
      'Write text to a file.',
      strings(['filename', 'content', 'directory'], ['filename', 'content']),
    ],
    ['delete_file', 'Delete a file.', strings(['filename', 'directory'], ['filename'])],
  ]);
  const orders = filesTools(root).map(tool => Object.keys(schemaOf(tool).properties).join());
  expect(orders).toEqual([
    'directory',
    'filename,directory',
    'filename,content,directory',
    'filename,directory',
  ]);
});

it('does not start on a root that is no folder', async () => {
  for (const path of [join(scratch, 'none'), join(root, 'a.txt')]) {
    const error = await runFilesServer({ root: path }).then(
      () => undefined,
      reason => reason,
    );
    expect(error).toBeInstanceOf(LlmHostError);
    expect([error.code, error.message]).toEqual(['CONFIG', `The root ${path} is not a folder.`]);
  }
});
