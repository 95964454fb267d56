import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { manyWords } from '../../fixtures/many-words.ts';
import { Program, processesLeft, ROOT, runProgram, SCRIPTED_MAIN, workplace } from '../program.ts';
import { Terminal } from '../pty.ts';

const TIMEOUT = { timeout: 120_000 };
const CTRL_C = '\u0003';
const POLITE = join(ROOT, 'test', 'fixtures', 'mcp', 'polite.mjs');
const THEN_STTY = fileURLToPath(new URL('../then-stty.mjs', import.meta.url));

/** The engine blocks JavaScript at the first `#` of a reply. */
function place(replies: readonly string[], more: object = {}) {
  // Behind a shell that stays: ending what listens on stdin is not enough.
  const server = { command: 'sh', args: ['-c', `${process.execPath} ${POLITE}; sleep 600`] };
  const { dir, env } = workplace({
    'config.json': '{ "SystemPrompt": "You are a helpful assistant." }',
    'mcp.json': JSON.stringify({ servers: { polite: server } }),
    'script.json': JSON.stringify({ replies, blockAt: '#', ...more }),
  });
  return { dir, env: { ...env, LLM_HOST_SCRIPT: join(dir, 'script.json') } };
}

async function stderrShows(program: Program, text: string): Promise<void> {
  await expect.poll(() => program.stderr, { timeout: 60_000 }).toContain(text);
}

describe('JavaScript is blocked', TIMEOUT, () => {
  test('SIGTERM ends a chat within 2 s: no server left, the saved conversation whole', async () => {
    const { dir, env } = place(['One.', 'Two #.']);
    const program = new Program(SCRIPTED_MAIN, ['x', '--plain', '--save', 'talk.json'], { cwd: dir, env });
    await program.shows('Ready');
    program.say('first');
    await program.shows('assistant -> One.');
    program.say('second');
    await stderrShows(program, 'blocked');
    const before = performance.now();
    program.child.kill('SIGTERM');
    const { code, signal, stderr } = await program.ended;
    expect({ code, signal }).toEqual({ code: 143, signal: null });
    expect(stderr).toContain('Error: SIGTERM ended the program, which was busy and did not answer\n');
    expect(performance.now() - before).toBeLessThan(6000);
    expect(await processesLeft(dir)).toEqual([]);
    writeFileSync(join(dir, 'script.json'), '{ "replies": ["Three."] }');
    const resumed = await runProgram(SCRIPTED_MAIN, ['x', '--resume', 'talk.json', '-p', 'third'], {
      cwd: dir,
      env,
    });
    expect(resumed).toMatchObject({ code: 0 });
    expect(resumed.stdout).toContain('Three.');
    expect(readFileSync(join(dir, 'talk.json'), 'utf8')).toContain('One.');
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s twice ends `serve` at once; no server left', async (name, expected) => {
    const { dir, env } = place(['Some #.']);
    const server = new Program(SCRIPTED_MAIN, ['serve', 'x', '--port', '0'], { cwd: dir, env });
    const url = await server.url();
    const body = JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }] });
    const answer = fetch(`${url}/v1/chat/completions`, { method: 'POST', body }).catch(() => 'cut');
    await stderrShows(server, 'blocked');
    const before = performance.now();
    server.child.kill(name);
    await sleep(50);
    server.child.kill(name);
    expect(await server.ended).toMatchObject({ code: expected, signal: null });
    expect(performance.now() - before).toBeLessThan(1500);
    expect(await answer).toBe('cut');
    expect(await processesLeft(dir)).toEqual([]);
  });

  test.each([
    ['the screen', [] as string[], '\u001b[?2004h'],
    ['line mode', ['--plain'], 'prompt -> '],
  ])('one Ctrl+C on a terminal, %s: exit 130, the terminal as it was', async (_name, args, open) => {
    const { dir, env } = place(['word word          #.'], { msPerToken: 20 });
    const terminal = new Terminal(THEN_STTY, [SCRIPTED_MAIN, 'x', ...args], dir, env);
    await terminal.shows(open);
    terminal.type('Hi\r');
    await terminal.displays('word word');
    await sleep(300);
    const before = performance.now();
    terminal.type(CTRL_C);
    await terminal.shows('ended 130; modes isig icanon echo');
    expect(performance.now() - before).toBeLessThan(6000);
    expect(terminal.screen.lastIndexOf('\u001b[?2004h')).toBeLessThanOrEqual(
      terminal.screen.lastIndexOf('\u001b[?2004l'),
    );
    expect(terminal.screen.lastIndexOf('\u001b[?25l')).toBeLessThanOrEqual(
      terminal.screen.lastIndexOf('\u001b[?25h'),
    );
    expect(await terminal.emulator.lines(true)).toContain(
      'Error: SIGINT ended the program, which was busy and did not answer',
    );
    expect(await processesLeft(dir)).toEqual([]);
  });

  test('for 1.5 s only: what was typed is not lost, Ctrl+C cancels the reply, the chat lives on', async () => {
    const { dir, env } = place([`word # ${manyWords(10_000)}`, 'Fine.'], {
      blockMs: 1500,
      msPerToken: 5,
    });
    const terminal = new Terminal(SCRIPTED_MAIN, ['x'], dir, env);
    await terminal.shows('\u001b[?2004h');
    terminal.type('Hi\r');
    await terminal.displays('word');
    await sleep(200);
    terminal.type(`next${CTRL_C}`);
    await terminal.displays('[cancelled]');
    await terminal.displays('next');
    terminal.type('\r');
    await terminal.displays('Fine.');
    expect((await terminal.emulator.lines(true)).filter(line => /prompt -> .*next/.test(line))).toEqual([
      expect.stringMatching(/prompt -> next$/),
    ]);
    terminal.type('bye\r');
    expect(await terminal.exits()).toBe(0);
  });
});
