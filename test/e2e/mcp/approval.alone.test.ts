import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { MAIN, runProgram, SCRIPTED_MAIN, workplace } from '../program.ts';
import { Terminal } from '../pty.ts';

const LIMIT_MS = 180_000;
const ESC = '\u001b';
const CTRL_C = '\u0003';

const callOf = (name: string, args: object) =>
  `<tool_call>${JSON.stringify({ name, arguments: args })}</tool_call>`;
const deleting = (filename: string) => callOf('delete_file', { filename });

/** A folder with files a.txt to d.txt that the bundled server may change. */
function place(replies: readonly string[]) {
  const { dir, env } = workplace();
  const root = join(dir, 'files');
  mkdirSync(root);
  for (const name of ['a', 'b', 'c', 'd']) writeFileSync(join(root, `${name}.txt`), name);
  const files = { command: 'llm-host', args: ['server', 'files', '--root', root] };
  writeFileSync(join(dir, 'config.json'), '{ "SystemPrompt": "You are a helpful assistant." }');
  writeFileSync(join(dir, 'mcp.json'), JSON.stringify({ servers: { files } }));
  const script = join(dir, 'script.json');
  const replay = (next: readonly string[]) => writeFileSync(script, JSON.stringify({ replies: next }));
  replay(replies);
  const left = () => ['a', 'b', 'c', 'd'].filter(name => existsSync(join(root, `${name}.txt`))).join('');
  return { dir, root, left, replay, env: { ...env, LLM_HOST_SCRIPT: script } };
}

type Place = ReturnType<typeof place>;

async function open({ dir, env }: Place, args: readonly string[] = []): Promise<Terminal> {
  const terminal = new Terminal(SCRIPTED_MAIN, ['x', ...args], dir, env);
  await terminal.displays('prompt ->');
  await serverIsUp(terminal);
  terminal.type('go\r');
  return terminal;
}

/** On a busy machine the chat may start before the server. */
async function serverIsUp(terminal: Terminal): Promise<void> {
  if (!terminal.screen.includes('still starting')) return;
  for (let lines = ''; !lines.includes('delete_file (files)'); ) {
    terminal.type('tools\r');
    await sleep(500);
    lines = (await terminal.emulator.lines(true)).join('\n');
  }
}

async function quit(terminal: Terminal): Promise<void> {
  terminal.type('quit\r');
  expect(await terminal.exits()).toBe(0);
}

describe.each([
  ['on the screen', []],
  ['in line mode', ['--plain']],
])('%s', (_name, mode) => {
  test('each destructive call is asked about; words, maybe, and Enter alone', {
    timeout: LIMIT_MS,
  }, async () => {
    const at = place([
      `${deleting('a.txt')}\n${deleting('b.txt')}\n${callOf('read_file', { filename: 'c.txt' })}`,
      'Done.',
    ]);
    const terminal = await open(at, mode);
    await terminal.displays('Run delete_file(filename="a.txt") of server \'files\'?');
    terminal.type('maybe\r');
    await terminal.displays("'maybe' is none of once, conversation, always, no, edit");
    expect(at.left()).toBe('abcd');
    terminal.type('y\r');
    await terminal.displays('Run delete_file(filename="b.txt") of server \'files\'?');
    terminal.type('\r');
    await terminal.displays("The user declined the call of 'delete_file'");
    const lines = (await terminal.displays('assistant -> Done.')).join('\n');
    expect(lines).toMatch(/Result: c\b/);
    expect(at.left()).toBe('bcd');
    await quit(terminal);
  });

  test('the conversation, then after clear again; a new file is written unasked, an old one not', {
    timeout: LIMIT_MS,
  }, async () => {
    const write = (filename: string) => callOf('write_file', { filename, content: 'new' });
    const at = place([
      ...[deleting('a.txt'), deleting('b.txt'), 'One.', deleting('c.txt'), 'Two.'],
      ...[write('new.txt'), write('d.txt'), 'Three.'],
    ]);
    const terminal = await open(at, mode);
    await terminal.displays('a.txt") of server');
    terminal.type('conv\r');
    await terminal.displays('assistant -> One.');
    expect(at.left()).toBe('cd');
    terminal.type('clear\r');
    await terminal.displays('The conversation was cleared.');
    terminal.type('go\r');
    await terminal.displays('c.txt") of server');
    terminal.type('n\r');
    await terminal.displays('assistant -> Two.');
    terminal.type('write\r');
    await terminal.displays('Run write_file(filename="d.txt", content="new") of server');
    terminal.type('no\r');
    await terminal.displays('assistant -> Three.');
    expect(readFileSync(join(at.root, 'd.txt'), 'utf8')).toBe('d');
    expect(readFileSync(join(at.root, 'new.txt'), 'utf8')).toBe('new');
    await quit(terminal);
  });

  test('always is kept for the next run, shown by tools, and taken back', { timeout: LIMIT_MS }, async () => {
    const at = place([deleting('a.txt'), 'One.']);
    const file = join(at.dir, 'home', '.config', 'llm-host', 'allowed-tools.json');
    const first = await open(at, mode);
    await first.displays('a.txt") of server');
    first.type('always\r');
    await first.displays('is now always allowed');
    await first.displays('assistant -> One.');
    expect(JSON.parse(readFileSync(file, 'utf8')).allowed).toMatchObject([{ tool: 'delete_file' }]);
    await quit(first);

    at.replay([deleting('b.txt'), 'Two.', deleting('c.txt'), 'Three.']);
    const second = await open(at, mode);
    await second.displays('assistant -> Two.');
    expect(at.left()).toBe('cd');
    second.type('tools\r');
    await second.displays('Always allowed, in');
    second.type('/tools ask delete_file\r');
    await second.displays("'delete_file' is asked about again.");
    second.type('go\r');
    await second.displays('c.txt") of server');
    second.type('no\r');
    await second.displays('assistant -> Three.');
    expect([at.left(), JSON.parse(readFileSync(file, 'utf8')).allowed]).toEqual(['cd', []]);
    await quit(second);
  });

  test('edit: arguments that do not fit are asked for again; the call runs with the new ones', {
    timeout: LIMIT_MS,
  }, async () => {
    const at = place([deleting('a.txt'), 'Done.']);
    const terminal = await open(at, mode);
    await terminal.displays('a.txt") of server');
    terminal.type('edit\r');
    await terminal.displays('arguments -> {');
    const replace = async (text: string, shown: string) => {
      // To the start of the first line, and delete all that follows.
      for (let line = 0; line < 4; line++) terminal.type('\u0005\u0015\u007f');
      terminal.type(text);
      await terminal.displays(`arguments -> ${text}`);
      terminal.type('\r');
      await terminal.displays(shown);
    };
    await replace('{"filename": 7}', 'The arguments do not fit: $.filename');
    await replace('{"filename"', 'This is not JSON');
    await replace('{"filename": "b.txt"}', 'Calling delete_file(filename="b.txt") instead');
    await terminal.displays('assistant -> Done.');
    expect(at.left()).toBe('acd');
    await quit(terminal);
  });

  test('Ctrl+C ends the turn, not the program', { timeout: LIMIT_MS }, async () => {
    const at = place([deleting('a.txt'), 'never said']);
    const terminal = await open(at, mode);
    await terminal.displays('a.txt") of server');
    terminal.type(CTRL_C);
    await terminal.displays('[cancelled]');
    expect(at.left()).toBe('abcd');
    terminal.type('tools\r');
    await terminal.displays('delete_file (files)');
    await quit(terminal);
  });

  test('--yes asks nothing', { timeout: LIMIT_MS }, async () => {
    const at = place([deleting('a.txt'), 'Done.']);
    const terminal = await open(at, [...mode, '--yes']);
    await terminal.displays('assistant -> Done.');
    expect(at.left()).toBe('bcd');
    await quit(terminal);
  });
});

test('on the screen: arrows choose, Esc declines, took leaves the question out', {
  timeout: LIMIT_MS,
}, async () => {
  const at = place([deleting('a.txt'), deleting('b.txt'), 'Done.']);
  const terminal = await open(at);
  await terminal.displays('❯ no');
  const asked = Date.now();
  terminal.type(`${ESC}[A${ESC}[A${ESC}[A`);
  await terminal.displays('❯ once');
  while (Date.now() - asked < 1500) await terminal.displays('❯ once');
  terminal.type('\r');
  await terminal.displays('b.txt") of server');
  const took = /\(took ([\d.]+)s\)/.exec((await terminal.displays('(took')).join('\n'))?.[1];
  expect(Number(took)).toBeLessThan(1.5);
  terminal.type(ESC);
  await terminal.displays("The user declined the call of 'delete_file'");
  await terminal.displays('assistant -> Done.');
  expect(at.left()).toBe('bcd');
  await quit(terminal);
});

test('what was being typed when the question came answers nothing and is still there', {
  timeout: LIMIT_MS,
}, async () => {
  const at = place([`Let me see. ${deleting('a.txt')}`, 'Done.']);
  const terminal = await open(at);
  await terminal.displays('a.txt") of server');
  terminal.type('always ');
  await terminal.displays('> always');
  terminal.type('the same\r');
  await terminal.displays("'always the same' is none of");
  expect(at.left()).toBe('abcd');
  terminal.type(`${ESC}`);
  await terminal.displays('assistant -> Done.');
  await quit(terminal);
});

test.each([
  { columns: 40, rows: 15 },
  { columns: 20, rows: 8 },
  { columns: 10, rows: 4 },
])('a window of %j: the question can be answered', { timeout: LIMIT_MS }, async ({ columns, rows }) => {
  const at = place([deleting('a.txt'), 'Done.']);
  const { dir, env } = at;
  const terminal = new Terminal(SCRIPTED_MAIN, ['x', '--quiet'], dir, env);
  await terminal.displays('prompt ->');
  terminal.resize(columns, rows);
  terminal.type('go\r');
  await terminal.displays('Run');
  terminal.type('once\r');
  await terminal.displays('Done.');
  expect(at.left()).toBe('bcd');
  await quit(terminal);
});

describe('without a terminal', () => {
  test('destructive calls run as before', async () => {
    const at = place([deleting('a.txt'), 'Done.']);
    const { stdout, code } = await runProgram(SCRIPTED_MAIN, ['x', '-p', 'go'], { cwd: at.dir, env: at.env });
    expect([stdout, code, at.left()]).toEqual(['Done.\n', 0, 'bcd']);
  });

  test.each([
    ['-p', []],
    ['-p --json', ['--json']],
  ])('%s --ask: a refused call ends with 77, the answer is there', async (_name, mode) => {
    const at = place([deleting('a.txt'), 'Done.']);
    const args = ['x', '-p', 'go', '--ask', ...mode];
    const { stdout, code } = await runProgram(SCRIPTED_MAIN, args, { cwd: at.dir, env: at.env });
    expect(stdout).toContain('Done.');
    expect([code, at.left()]).toEqual([77, 'abcd']);
  });

  test('--ask and --yes exclude each other', async () => {
    const { dir, env } = place([]);
    const args = ['x', '--ask', '--yes'];
    const { code, stderr } = await runProgram(SCRIPTED_MAIN, args, { cwd: dir, env });
    expect(code).toBe(2);
    expect(stderr).toMatch(/ask.*yes|yes.*ask/);
  });
});

test('the real model: its demo asks before it deletes', { timeout: LIMIT_MS }, async () => {
  const { dir, env } = workplace();
  const terminal = new Terminal(MAIN, ['demo'], dir, env);
  await terminal.displays('prompt ->');
  await serverIsUp(terminal);
  terminal.type('Delete the file meeting.txt\r');
  await terminal.displays('Run delete_file(filename="meeting.txt"');
  terminal.type('no\r');
  await terminal.displays("The user declined the call of 'delete_file'");
  await terminal.displays('assistant ->');
  const sample = join(dir, 'home', '.local', 'state', 'llm-host', 'demo-files', 'meeting.txt');
  expect(existsSync(sample)).toBe(true);
  terminal.type(CTRL_C);
  terminal.type('quit\r');
  expect(await terminal.exits()).toBe(0);
});
