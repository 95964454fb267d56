import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { McpHost } from '../../../src/mcp/host/mcp-host.ts';
import { FIXTURES } from '../../fixtures/mcp/support.ts';
import { MAIN } from '../program.ts';

const LIMIT = { timeoutMs: 60_000 };
/** Content, and also a name, of files outside. */
const SECRET = 'secret outside';
const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'llm-host-escapes-')));
const root = join(scratch, 'root');
const outside = join(scratch, 'outside');
const socket = createServer();
let host: McpHost;

beforeAll(async () => {
  for (const folder of [root, join(root, 'sub'), outside, join(scratch, 'root-beside')]) mkdirSync(folder);
  writeFileSync(join(root, 'a.txt'), 'inside');
  for (const folder of ['outside', 'root-beside']) {
    for (const name of ['secret.txt', SECRET]) writeFileSync(join(scratch, folder, name), SECRET);
  }
  const links = {
    'link-file': '../outside/secret.txt',
    'link-absolute': join(outside, 'secret.txt'),
    'link-folder': '../outside',
    'link-chain': 'link-folder',
    'link-beside': '../root-beside',
    'link-root': '/',
    'link-new': '../outside/new.txt',
    'link-self': 'link-self',
    'link-proc': '/proc/self/root',
    'link-cwd': '/proc/self/cwd/outside',
    'link-environ': '/proc/self/environ',
    'link-fd': '/dev/fd/0',
    'link-zero': '/dev/zero',
    'link-tty': '/dev/tty',
    'sub/up': '../../outside',
  };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(root, name));
  linkSync(join(outside, 'secret.txt'), join(root, 'hard'));
  execFileSync('mkfifo', [join(root, 'pipe')]);
  await new Promise<void>(resolve => void socket.listen(join(root, 'socket'), resolve));
  writeFileSync(join(root, 'huge'), '');
  truncateSync(join(root, 'huge'), 20 * 1024 ** 3);
  host = new McpHost({
    configs: [
      {
        name: 'files',
        transport: 'stdio',
        command: process.execPath,
        env: {},
        cwd: scratch,
        args: [MAIN, 'server', 'files', '--root', root],
      },
    ],
  });
  await host.start();
});
afterAll(async () => {
  await host.close();
  socket.close();
  rmSync(scratch, { recursive: true, force: true });
});

const call = (tool: string, args: object) => host.call(tool, args as Record<string, unknown>, LIMIT);

/** Everything outside the root, as it must stay. */
function expectOutsideUntouched(): void {
  expect(readdirSync(scratch).sort()).toEqual(['outside', 'root', 'root-beside']);
  for (const folder of ['outside', 'root-beside']) {
    expect(readdirSync(join(scratch, folder))).toEqual([SECRET, 'secret.txt']);
    expect(readFileSync(join(scratch, folder, 'secret.txt'), 'utf8')).toBe(SECRET);
  }
}

/** [what it is, filename, directory]; `@` is the folder outside. */
const ATTEMPTS: [what: string, filename: string, directory?: string][] = [
  ['..', '../outside/secret.txt'],
  ['.. after a folder', 'sub/../../outside/secret.txt'],
  ['.. after a folder that is not there', 'none/../../outside/secret.txt'],
  ['.. in the directory', 'secret.txt', '../outside'],
  ['.. shared by both', 'outside/secret.txt', '..'],
  ['many ..', '../../../../../../../../etc/passwd'],
  ['.. with doubled slashes', '..//outside///secret.txt'],
  ['.. with dots between', './.././outside/./secret.txt'],
  ['.. with backslashes', '..\\outside\\secret.txt'],
  ['.. with both slashes', 'sub\\../..\\outside/secret.txt'],
  ['.. alone', '..'],
  ['.. at the end', 'sub/..'],
  ['absolute', '@/secret.txt'],
  ['absolute in the directory', 'secret.txt', '@'],
  ['absolute, of the root itself', '@/../root/a.txt'],
  ['absolute with two slashes', '//etc/passwd'],
  ['a Windows drive', 'C:\\Windows\\win.ini'],
  ['a Windows drive with a slash', 'c:/Windows/win.ini'],
  ['a share', '\\\\server\\share\\x'],
  ['a Windows device path', '\\\\?\\C:\\x'],
  ['a file url', 'file:///etc/passwd'],
  ['the home folder', '~/.ssh/id_rsa'],
  ['a variable', '$HOME/.profile'],
  ['another variable', `\${HOME}/.profile`],
  ['a command', '$(cat /etc/passwd)'],
  ['NUL behind a good name', 'a.txt\0/../../outside/secret.txt'],
  ['NUL before a suffix', '../outside/secret.txt\0.txt'],
  ['NUL in the directory', 'secret.txt', 'sub\0/../../outside'],
  ['percent-encoded', '%2e%2e%2foutside%2fsecret.txt'],
  ['percent-encoded twice', '%252e%252e%252foutside%252fsecret.txt'],
  ['overlong UTF-8, percent-encoded', '..%c0%af..%c0%afetc/passwd'],
  ['fullwidth dots', '\uff0e\uff0e/outside/secret.txt'],
  ['fullwidth slash', '..\uff0foutside\uff0fsecret.txt'],
  ['division slash', '..\u2215outside\u2215secret.txt'],
  ['fraction slash', '..\u2044outside\u2044secret.txt'],
  ['two-dot leader', '\u2025/outside/secret.txt'],
  ['one-dot leaders', '\u2024\u2024/outside/secret.txt'],
  ['dots with a zero-width space', '.\u200b./outside/secret.txt'],
  ['dots with a combining mark', '..\u0301/outside/secret.txt'],
  ['a half character', '..\ud800/outside/secret.txt'],
  ['trailing dots', '.../outside/secret.txt'],
  ['trailing dot and blank', '.. /outside/secret.txt'],
  ['a blank before', ' ../outside/secret.txt'],
  ['a newline', '..\n/outside/secret.txt'],
  ['another case', '../OUTSIDE/SECRET.TXT'],
  ['a link to a file', 'link-file'],
  ['an absolute link', 'link-absolute'],
  ['a link to a folder', 'link-folder/secret.txt'],
  ['a link to a folder, as the directory', 'secret.txt', 'link-folder'],
  ['a link to a link', 'link-chain/secret.txt'],
  ['a link below', 'sub/up/secret.txt'],
  ['a link to a folder with a longer name', 'link-beside/secret.txt'],
  ['a link to the root of the disk', 'link-root/etc/passwd'],
  ['a link to what is not there yet', 'link-new'],
  ['a new file behind a link', 'link-folder/new.txt'],
  ['a link to itself', 'link-self'],
  ['/proc/self/root', 'link-proc/etc/passwd'],
  ['/proc/self/cwd', 'link-cwd/secret.txt'],
  ['/proc/self/environ', 'link-environ'],
  ['the stdin of the server', 'link-fd'],
  ['/dev/zero', 'link-zero'],
  ['/dev/tty', 'link-tty'],
  ['a name that is too long', `${'../'.repeat(5000)}etc/passwd`],
];

it.each(ATTEMPTS)('does not escape by %s', async (_what, filename, directory = '') => {
  const expand = (path: string) => path.replace('@', outside);
  const where = { filename: expand(filename), directory: expand(directory) };
  const texts = await Promise.all([
    call('read_file', where),
    call('write_file', { ...where, content: 'written by the model' }),
    call('delete_file', where),
    call('list_files', { directory: where.directory || where.filename }),
    call('list_files', { directory: `${where.filename}/..` }),
  ]);
  for (const { text } of texts) {
    expect(text).not.toContain(SECRET);
    expect(text).not.toMatch(/root:.*:0:0:|PATH=/);
  }
  expectOutsideUntouched();
});

it('reads no file that has another name, and neither writes nor deletes through it', async () => {
  expect(await call('read_file', { filename: 'hard' })).toEqual({
    text: 'Error: hard has another name (a hard link), perhaps outside the folder.',
    isError: true,
  });
  expect((await call('write_file', { filename: 'hard', content: 'x' })).isError).toBe(false);
  expectOutsideUntouched();
  linkSync(join(outside, 'secret.txt'), join(root, 'hard-2'));
  expect((await call('delete_file', { filename: 'hard-2' })).isError).toBe(false);
  expectOutsideUntouched();
});

it.each([
  ['pipe', 'is not a regular file'],
  ['socket', 'is not a regular file'],
  ['huge', 'is larger than the limit of 1 MB'],
])('%s %s, told at once', async (filename, reason) => {
  const { text, isError } = await call('read_file', { filename });
  expect([text, isError]).toEqual([expect.stringContaining(reason), true]);
});

it.each(['read_file', 'write_file', 'delete_file', 'list_files'])(
  '%s: a folder that becomes a link out, again and again, leads nowhere',
  async tool => {
    const place = join(root, 'swapped');
    const [folder, link] = [`${place}-folder`, `${place}-link`];
    mkdirSync(place);
    writeFileSync(join(place, 'secret.txt'), 'inside');
    symlinkSync('../outside', link);
    const swapper = spawn(process.execPath, [join(FIXTURES, 'swap-links.mjs'), place, folder, link], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(swapper.stdout, 'data');
    const args =
      tool === 'list_files'
        ? { directory: 'swapped' }
        : { filename: 'secret.txt', directory: 'swapped', ...(tool === 'write_file' && { content: 'x' }) };
    const outcomes = new Set<string>();
    for (let round = 0; round < 4; round++) {
      const calls = Array.from({ length: 32 }, () => call(tool, args));
      for (const { text } of await Promise.all(calls)) outcomes.add(text);
    }
    swapper.kill('SIGKILL');
    await once(swapper, 'exit');
    for (const path of [place, folder, link]) rmSync(path, { recursive: true, force: true });
    expectOutsideUntouched();
    expect([...outcomes].join('\n')).not.toContain(SECRET);
  },
);
