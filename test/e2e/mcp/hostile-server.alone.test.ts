import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FIXTURES } from '../../fixtures/mcp/support.ts';
import { MAIN, runProgram, SCRIPTED_MAIN, workplace } from '../program.ts';
import { Terminal } from '../pty.ts';

/** Escape sequences and other controls but newline and tab, and what people cannot see. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
const UNCLEAN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u202e]|[\u{E0000}-\u{E007F}]/u;
const CALL = '<tool_call>\n{"name": "run", "arguments": {}}\n</tool_call>';
/** In every mode, and those whose texts are the same in all in line mode alone. */
const EVERY_MODE = ['nasty', 'nasty-result', 'dies-nasty', 'asks', 'invalid'];
const LINES_ALONE = ['progress', 'long-error', 'long-tool-error', 'deep', 'huge'];

function place(behaviour: string, replies = [CALL, 'after it']) {
  const entry = { command: process.execPath, args: [join(FIXTURES, 'hostile.mjs'), behaviour] };
  const { dir, env } = workplace({
    'config.json': '{ "SystemPrompt": "You are a helpful assistant." }',
    'mcp.json': JSON.stringify({ servers: { hostile: entry } }),
    'script.json': JSON.stringify({ replies, contextLength: 10_000_000, charsPerToken: 1000 }),
  });
  return { cwd: dir, env: { ...env, LLM_HOST_SCRIPT: join(dir, 'script.json') } };
}

test.each([...EVERY_MODE, ...LINES_ALONE])(
  '%s: no stream carries an escape or hidden text, and the turn ends',
  {
    timeout: 120_000,
  },
  async behaviour => {
    const modes: [string[], string][] = [
      [['x', '--plain'], 'go\ntools\n/mcp\nquit\n'],
      [['x', '-p', 'go'], ''],
      [['x', '--json'], '{"type":"prompt","text":"go"}\n'],
    ];
    // A server that has died offers no tool, and what looks like a call is text then.
    const said = behaviour === 'dies-nasty' ? '<tool_call>' : 'after it';
    for (const [args, stdin] of EVERY_MODE.includes(behaviour) ? modes : modes.slice(0, 1)) {
      const begun = performance.now();
      const { code, stdout, stderr } = await runProgram(SCRIPTED_MAIN, args, { ...place(behaviour), stdin });
      expect.soft(stdout, `stdout of ${args.join(' ')}`).not.toMatch(UNCLEAN);
      expect.soft(stderr, `stderr of ${args.join(' ')}`).not.toMatch(UNCLEAN);
      expect.soft(code).toBe(0);
      expect.soft(stdout).toContain(said);
      expect.soft(performance.now() - begun).toBeLessThan(30_000);
    }
  },
);

test('`tools` with a hostile server', async () => {
  const { stdout, stderr } = await runProgram(MAIN, ['tools'], place('nasty'));
  expect(stdout).toContain('good');
  for (const text of [stdout, stderr]) expect(text).not.toMatch(UNCLEAN);
});

test('a pattern that never ends: the call runs, with a notice that names server and tool', async () => {
  const text = `${'a'.repeat(34)}!`;
  const call = `<tool_call>\n${JSON.stringify({ name: 'match', arguments: { text } })}\n</tool_call>`;
  const begun = performance.now();
  const { stdout } = await runProgram(SCRIPTED_MAIN, ['x', '--plain'], {
    ...place('pattern', [call, 'after it']),
    stdin: 'go\nquit\n',
  });
  expect(performance.now() - begun).toBeLessThan(20_000);
  expect(stdout).toContain("Notice: The arguments of 'match' of server 'hostile' are not checked here");
  expect(stdout).toContain('Result: ran');
  expect(stdout).toContain('assistant -> after it');
});

test.each(['long-error', 'long-tool-error', 'progress'])(
  '%s on the screen: it goes on, and ends at once',
  {
    timeout: 90_000,
  },
  async behaviour => {
    const { cwd, env } = place(behaviour);
    const terminal = new Terminal(SCRIPTED_MAIN, ['x'], cwd, env);
    await terminal.displays('prompt ->');
    const begun = performance.now();
    terminal.type('go\r');
    await terminal.displays('after it', { limitMs: 60_000 });
    const shown = performance.now();
    terminal.type('quit\r');
    expect(await terminal.exits()).toBe(0);
    // Before: 30 s of a frozen screen. Less than 5 s here, on a machine with nothing else on it.
    expect(shown - begun).toBeLessThan(20_000);
    expect(performance.now() - shown).toBeLessThan(10_000);
  },
);
