import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { resolveOwnCommand } from '../../../src/mcp/config/own-command.ts';
import type { ServerConfig } from '../../../src/mcp/config/types.ts';
import { isDestructive, namesDestruction, wordsOf } from '../../../src/mcp/policy/destructive.ts';

const stdio = (cwd: string, ...args: string[]): ServerConfig => ({
  name: 's',
  transport: 'stdio',
  command: 'node',
  args,
  env: {},
  cwd,
});
const HTTP: ServerConfig = {
  name: 'h',
  transport: 'http',
  url: 'https://example.com',
  headers: {},
  localAccess: 'refused' as never,
};

describe('names', () => {
  it.each([
    ...[
      'delete_file',
      'deleteFile',
      'DeleteFile',
      'delete-file',
      'file.delete',
      'fs/remove',
      'db_drop_table',
    ],
    ...[
      'DROP',
      'bulkDeleteURLs',
      'HTTPDelete',
      'rm',
      'wipeDisk',
      'truncate_table',
      'ｄelete_file',
      'v2delete',
    ],
    ...['overwriteNote', 'remove2', 'purge cache'],
  ])('%s', name => {
    expect(namesDestruction(name)).toBe(true);
  });

  it.each([
    ...[
      'read_file',
      'list_deleted',
      'undelete',
      'raindrop_list',
      'backdrop',
      'browser_drag_and_drop',
      'dropDown',
    ],
    ...['dropbox_list', 'removable_media', 'form', 'confirm', 'formatText', 'alarm', ''],
  ])('not %s', name => {
    expect(namesDestruction(name)).toBe(false);
  });

  it('words come apart the same in every style', () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{2,8}$/), { minLength: 1, maxLength: 5 });
    const capital = (word: string) => (word[0] ?? '').toUpperCase() + word.slice(1);
    fc.assert(
      fc.property(words, parts => {
        const camel = (parts[0] ?? '') + parts.slice(1).map(capital).join('');
        for (const name of [
          parts.join('_'),
          parts.join('-'),
          camel,
          parts.map(capital).join(''),
          parts.join('.'),
        ])
          expect(wordsOf(name)).toEqual(parts);
      }),
    );
  });
});

describe('what a server declares', () => {
  const check = (tool: string, annotations: object | undefined, server = HTTP) =>
    isDestructive({ tool, annotations, server, arguments: {} });

  it.each([
    ['send', { destructiveHint: true }, true],
    ['send', { destructiveHint: false }, false],
    ['send', undefined, false],
    ['delete_preview', { readOnlyHint: true }, false],
    ['delete_preview', { readOnlyHint: true, destructiveHint: true }, true],
    ['delete', { destructiveHint: false }, true],
    ['delete', { readOnlyHint: false }, true],
  ])('%s %j: %s', (tool, annotations, expected) => {
    expect(check(tool, annotations)).toBe(expected);
  });
});

describe('writes over an existing file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'llm-host-overwrites-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'notes'));
  writeFileSync(join(folder, 'notes', 'old.txt'), 'x');
  const old = join(folder, 'notes', 'old.txt');

  it.each([
    ['write_file', { path: old }, true],
    ['write_file', { path: join(folder, 'new.txt') }, false],
    ['write_file', { path: 'notes/old.txt' }, true],
    ['saveNote', { filePath: 'old.txt', folder: 'notes' }, true],
    ['move_file', { source: old, destination: join(folder, 'new.txt') }, false],
    ['move_file', { source: 'x', destination: old }, true],
    ['read_file', { path: old }, false],
    ['write_file', { path: 'notes' }, false],
    ['write_file', { path: '\0' }, false],
    ['write_file', { path: 7, file: null, paths: [old] }, false],
    ['write_file', { files: 7, path: [old, 3] }, true],
    ['write_file', {}, false],
  ])('%s %j: %s', (tool, args, expected) => {
    const call = { tool, annotations: undefined, server: stdio(folder), arguments: args };
    expect(isDestructive(call)).toBe(expected);
  });

  it('looks in the folders that the server was started with, and not for a server elsewhere', () => {
    const args = { path: 'old.txt' };
    const call = { tool: 'write_file', annotations: undefined, arguments: args };
    const started = (...words: string[]) => isDestructive({ ...call, server: stdio('/', ...words) });
    expect([started(join(folder, 'notes')), started(`--dir=${join(folder, 'notes')}`), started()]).toEqual([
      ...[true, true, false],
    ]);
    expect(isDestructive({ ...call, arguments: { path: old }, server: HTTP })).toBe(false);
  });

  it('of the bundled server: only a file that is there, whatever the hint says', () => {
    const line = { command: 'llm-host', args: ['server', 'files', '--root', folder] };
    const server = { ...stdio('/'), ...resolveOwnCommand(line) } as ServerConfig;
    const write = (args: object) =>
      isDestructive({
        tool: 'write_file',
        annotations: { destructiveHint: true },
        server,
        arguments: args as Readonly<Record<string, unknown>>,
      });
    expect(write({ filename: 'old.txt', directory: 'notes', content: '' })).toBe(true);
    expect(write({ filename: 'notes/old.txt', content: '' })).toBe(true);
    expect(write({ filename: 'new.txt', content: '' })).toBe(false);
  });
});
