import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { Program, processesLeft, ROOT, SCRIPTED_MAIN, workplace } from '../program.ts';
import { Terminal } from '../pty.ts';

const TIMEOUT = { timeout: 120_000 };
const CTRL_C = '\u0003';
const FOREVER = 1e9;
/** What the end may take on a busy machine; without a limit it would take for ever. */
const SOON_MS = 6000;
const POLITE = join(ROOT, 'test', 'fixtures', 'mcp', 'polite.mjs');
const THEN_STTY = fileURLToPath(new URL('../then-stty.mjs', import.meta.url));

/** The model never closes; its engine hangs at the first `#` of a reply. */
function place(replies: readonly string[]) {
  const { dir, env } = workplace({
    'config.json': '{ "SystemPrompt": "You are a helpful assistant." }',
    'mcp.json': JSON.stringify({ servers: { polite: { command: process.execPath, args: [POLITE] } } }),
    'script.json': JSON.stringify({ replies, closeMs: FOREVER, hangAt: '#' }),
    // As the engine's thread does, which the process waits for.
    'stuck.mjs': "process.on('exit', () => { for (;;); });",
  });
  return { dir, env: { ...env, LLM_HOST_SCRIPT: join(dir, 'script.json') } };
}

async function stderrShows(program: Program, text: string): Promise<void> {
  await expect.poll(() => program.stderr, { timeout: 60_000 }).toContain(text);
}

async function endsSoon(program: Program, code: number): Promise<void> {
  const before = performance.now();
  expect(await program.ended).toMatchObject({ code, signal: null });
  expect(performance.now() - before).toBeLessThan(SOON_MS);
}

describe('the model does not close', TIMEOUT, () => {
  test.each([
    ['the screen, after `bye`', [] as string[], '\u001b[?2004h', 'bye\r'],
    ['line mode, after `bye`', ['--plain'], 'prompt -> ', 'bye\r'],
    ['the screen, after Ctrl+C', [], '\u001b[?2004h', CTRL_C],
  ])('on a terminal, %s: Ctrl+C exits with 0', async (_name, args, open, end) => {
    const { dir, env } = place([]);
    const terminal = new Terminal(THEN_STTY, [SCRIPTED_MAIN, 'x', ...args], dir, env);
    await terminal.shows(open);
    terminal.type(end);
    await terminal.shows('closing');
    const before = performance.now();
    terminal.type(CTRL_C);
    await terminal.shows('ended 0; modes isig icanon echo');
    expect(performance.now() - before).toBeLessThan(SOON_MS);
    expect(await processesLeft(dir)).toEqual([]);
  });

  test.each([
    ['the screen', [] as string[], '\u001b[?2004h'],
    ['line mode', ['--plain'], 'prompt -> '],
  ])(
    'on a terminal, %s, in a turn that hangs too: the second Ctrl+C exits with 0',
    async (_name, args, open) => {
      const { dir, env } = place(['word #']);
      const terminal = new Terminal(THEN_STTY, [SCRIPTED_MAIN, 'x', ...args], dir, env);
      await terminal.shows(open);
      terminal.type('Hi\r');
      await terminal.displays('word');
      const before = performance.now();
      terminal.type(CTRL_C);
      await new Promise(resolve => setTimeout(resolve, 300));
      terminal.type(CTRL_C);
      await terminal.shows('ended 0; modes isig icanon echo');
      expect(performance.now() - before).toBeLessThan(SOON_MS);
      expect(await processesLeft(dir)).toEqual([]);
    },
  );

  test.each([
    ['-p', ['-p', 'Hi']],
    ['lines from a pipe', []],
    ['--json', ['--json']],
  ])('%s: SIGINT then exits with 130', async (name, args) => {
    const { dir, env } = place(['Done.']);
    const program = new Program(SCRIPTED_MAIN, ['x', ...args], { cwd: dir, env });
    program.child.stdin.end();
    await stderrShows(program, 'closing');
    program.child.kill('SIGINT');
    await endsSoon(program, 130);
    if (name.startsWith('--json')) expect(lastEvent(program)).toMatchObject({ type: 'end', code: 130 });
    expect(await processesLeft(dir)).toEqual([]);
  });

  test.each([
    ['-p', ['-p', 'Hi', '--save', 'talk.json']],
    ['lines from a pipe', ['--plain']],
    ['--json', ['--json']],
    ['--json -p', ['--json', '-p', 'Hi']],
  ])('%s, in a turn that hangs too: the second SIGINT exits with 130', async (name, args) => {
    const { dir, env } = place(['word #']);
    const program = new Program(SCRIPTED_MAIN, ['x', ...args], { cwd: dir, env });
    if (args.includes('-p')) program.child.stdin.end();
    else program.say(name === '--json' ? '{"type":"prompt","text":"Hi"}' : 'Hi');
    await program.shows(name.startsWith('--json') ? '"text":"d"' : 'word');
    program.child.kill('SIGINT');
    await new Promise(resolve => setTimeout(resolve, 300));
    program.child.kill('SIGINT');
    await endsSoon(program, 130);
    if (name.startsWith('--json')) expect(lastEvent(program)).toMatchObject({ type: 'end', code: 130 });
    expect(await processesLeft(dir)).toEqual([]);
  });

  test('and neither does the thread that computes: Ctrl+C exits all the same', async () => {
    const { dir, env } = place([]);
    const stuck = { ...env, NODE_OPTIONS: `--import ${join(dir, 'stuck.mjs')}` };
    const program = new Program(SCRIPTED_MAIN, ['x', '--no-mcp'], { cwd: dir, env: stuck });
    program.child.stdin.end();
    await stderrShows(program, 'closing');
    program.child.kill('SIGINT');
    await endsSoon(program, 130);
  });
});

function lastEvent({ stdout }: Program): unknown {
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
}
