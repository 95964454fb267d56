import { execFileSync } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { manyWords } from '../../fixtures/many-words.ts';
import { MAIN, processesLeft, SCRIPTED_MAIN, workplace } from '../program.ts';
import { Terminal } from '../pty.ts';

const THEN_STTY = fileURLToPath(new URL('../then-stty.mjs', import.meta.url));
const CTRL_C = '\u0003';
const CTRL_D = '\u0004';

async function start(
  mark: string,
  script: object = { replies: ['Hello there.'] },
  args: readonly string[] = ['--plain'],
  more: NodeJS.ProcessEnv = {},
): Promise<Terminal> {
  const terminal = open(mark, script, args, { more });
  await terminal.shows('prompt -> ');
  return terminal;
}

/** @param options.modes prints the terminal's modes when the program has ended */
function open(
  mark: string,
  script: object,
  args: readonly string[],
  { more = {}, modes = false }: { more?: NodeJS.ProcessEnv; modes?: boolean } = {},
): Terminal {
  const server = {
    command: 'sh',
    args: ['-c', `${process.execPath} ${MAIN} server calculator; true ${mark}`],
  };
  const { dir, env } = workplace({
    'config.json': '{ "SystemPrompt": "You are a helpful assistant." }',
    'mcp.json': JSON.stringify({ servers: { calculator: server } }),
    'script.json': JSON.stringify(script),
  });
  const [main, before] = modes ? [THEN_STTY, [SCRIPTED_MAIN]] : [SCRIPTED_MAIN, []];
  return new Terminal(main, [...before, 'x', ...args], dir, {
    ...env,
    ...more,
    LLM_HOST_SCRIPT: join(dir, 'script.json'),
  });
}

/** Whether the program's terminal shows what is typed. */
function echoes(terminal: Terminal): boolean {
  const file = readlinkSync(`/proc/${terminal.pid}/fd/0`);
  return / echo /.test(execFileSync('stty', ['-F', file, '-a'], { encoding: 'utf8' }));
}

test('a chat: prompt, reply, quit', async () => {
  const terminal = await start('mark-pty-quit');
  terminal.type('Hi\r');
  await terminal.shows('assistant -> Hello there.');
  await terminal.shows('prompt -> ', 2);
  terminal.type('QUIT\r');
  expect(await terminal.exits()).toBe(0);
  expect(await processesLeft('mark-pty-quit')).toEqual([]);
});

test.each([
  ['Ctrl+C', CTRL_C],
  ['Ctrl+D', CTRL_D],
])('%s on an empty line: exit 0, no process left', async (name, key) => {
  const mark = `mark-pty-${name}`;
  const terminal = await start(mark);
  terminal.type(key);
  expect(await terminal.exits()).toBe(0);
  expect(await processesLeft(mark)).toEqual([]);
});

test('Ctrl+C while busy cancels and keeps the partial text; the servers live on', async () => {
  const terminal = await start('mark-pty-cancel', {
    replies: [
      manyWords(10_000),
      '<tool_call>{"name": "add", "arguments": {"a": 1, "b": 1}}</tool_call>',
      'two',
    ],
    msPerToken: 5,
  });
  terminal.type('write\r');
  await terminal.shows('assistant -> word word');
  terminal.type(CTRL_C);
  await terminal.shows('[cancelled]');
  await terminal.shows('prompt -> ', 2);
  terminal.type('sum\r');
  await terminal.shows('Result: 2 (took');
  await terminal.shows('assistant -> two');
  terminal.type('bye\r');
  expect(await terminal.exits()).toBe(0);
  expect(await processesLeft('mark-pty-cancel')).toEqual([]);
});

test('a second Ctrl+C within 2 s ends the program', async () => {
  const terminal = await start('mark-pty-twice', {
    replies: [manyWords(10_000), manyWords(10_000)],
    msPerToken: 5,
  });
  terminal.type('write\rwrite\r');
  await terminal.shows('assistant -> word');
  terminal.type(CTRL_C);
  await terminal.shows('assistant -> word', 2);
  terminal.type(CTRL_C);
  expect(await terminal.exits()).toBe(0);
  expect(await processesLeft('mark-pty-twice')).toEqual([]);
});

test('pasted lines are all answered, in order', async () => {
  const terminal = await start('mark-pty-paste', { replies: ['first', 'second', 'third'] });
  terminal.type('one\rtwo\rthree\r');
  await terminal.shows('assistant -> third');
  expect(terminal.screen.indexOf('first')).toBeLessThan(terminal.screen.indexOf('second'));
  terminal.type('quit\r');
  expect(await terminal.exits()).toBe(0);
});

test('Ctrl+C with text on the line clears the line', async () => {
  const terminal = await start('mark-pty-clear', { replies: ['fine'] });
  terminal.type('wrong');
  await terminal.shows('wrong');
  terminal.type(CTRL_C);
  terminal.type('right\r');
  await terminal.shows('assistant -> fine');
  terminal.type('quit\r');
  expect(await terminal.exits()).toBe(0);
});

test('what is typed before the screen is up stands in its prompt, and nowhere above', async () => {
  const terminal = open('mark-pty-ahead', { replies: ['fine'], openMs: 1500 }, []);
  // Under load the program takes its time to get there.
  await expect.poll(() => echoes(terminal), { timeout: 20_000, interval: 50 }).toBe(false);
  terminal.emulator.write('\u001b[2J\u001b[H');
  terminal.type('typed ahead');
  const lines = await terminal.displays('prompt -> typed ahead');
  expect(lines.join('\n').match(/typed/g)).toHaveLength(1);
  terminal.type('\r');
  await terminal.displays('assistant -> fine');
  terminal.type('bye\r');
  expect(await terminal.exits()).toBe(0);
});

test('Ctrl+C while the model loads: exit 130, the terminal shows again what is typed', async () => {
  const terminal = open('mark-pty-loading', { openMs: 60_000 }, [], { modes: true });
  await expect.poll(() => echoes(terminal), { timeout: 20_000, interval: 50 }).toBe(false);
  terminal.type(CTRL_C);
  await terminal.shows('ended 130; modes isig icanon echo');
  // The shell's prompt begins a line.
  expect(terminal.screen).toMatch(/\r\nended 130/);
  expect(await processesLeft('mark-pty-loading')).toEqual([]);
});

test('TERM=dumb, for screen readers: whole lines, no spinner, not one control sequence', async () => {
  const sum = '<tool_call>{"name": "add", "arguments": {"a": 1, "b": 1}}</tool_call>';
  const script = { replies: [sum, 'It is **2**.'], msPerToken: 2 };
  const terminal = await start('mark-pty-dumb', script, [], { TERM: 'dumb' });
  terminal.type('sum\r');
  await terminal.shows('assistant -> It is **2**.');
  await terminal.shows('prompt -> ', 2);
  terminal.type('bye\r');
  expect(await terminal.exits()).toBe(0);
  expect(terminal.screen).toContain('Result: 2 (took');
  expect(terminal.screen).not.toContain('\u001b');
});
