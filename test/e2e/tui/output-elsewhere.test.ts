import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MAIN, SCRIPTED_MAIN, workplace } from '../program.ts';
import { Terminal } from '../pty.ts';

const LIMIT_MS = 60_000;
const CTRL_D = '\u0004';
const CALL = '<tool_call>\n{"name": "add", "arguments": {"a": 1, "b": 2}}\n</tool_call>';
/** Runs a program whose stdout is a file, as `program > out.txt` does. */
const REDIRECTED =
  "const out = require('node:fs').openSync('out.txt', 'w');" +
  "require('node:child_process').spawn(process.execPath, process.argv.slice(1), { stdio: ['inherit', out, 'inherit'] })" +
  ".on('exit', code => process.exit(code ?? 1));";

/** At a terminal that gets all but stdout. */
function start(
  replies: readonly string[],
  args: readonly string[],
): { terminal: Terminal; out: () => string } {
  const calculator = { command: process.execPath, args: [MAIN, 'server', 'calculator'] };
  const { dir, env } = workplace({
    'config.json': '{ "SystemPrompt": "You are a helpful assistant." }',
    'mcp.json': JSON.stringify({ servers: { calculator } }),
    'script.json': JSON.stringify({ replies }),
  });
  const all = { ...env, LLM_HOST_SCRIPT: join(dir, 'script.json') };
  const terminal = new Terminal('-e', [REDIRECTED, SCRIPTED_MAIN, 'x', ...args], dir, all);
  return { terminal, out: () => readFileSync(join(dir, 'out.txt'), 'utf8') };
}

test('a question about a call is answered by keys, the prompt after it too', {
  timeout: LIMIT_MS,
}, async () => {
  const { terminal, out } = start([CALL, 'It is 3.', 'Hello.'], ['--ask']);
  await terminal.shows('prompt -> ');
  terminal.type('sum?\r');
  await terminal.shows('edit [no]: ', 1, 10_000);
  terminal.type('once\r');
  await terminal.shows('Result: 3', 1, 10_000);
  await terminal.shows('prompt -> ', 2);
  terminal.type('and now?\r');
  await terminal.shows('prompt -> ', 3);
  terminal.type(CTRL_D);
  expect(await terminal.exits()).toBe(0);
  expect(out()).toBe('It is 3.\nHello.\n');
});

test('with --json nobody is asked: the lines are requests', { timeout: LIMIT_MS }, async () => {
  const { terminal, out } = start([CALL, 'Not done.'], ['--json', '--ask']);
  await expect.poll(out, { timeout: 20_000 }).toContain('"ready"');
  terminal.type('sum?\r');
  await expect.poll(out, { timeout: 10_000 }).toContain('"assistant"');
  expect(out()).toContain('nobody can be asked');
  terminal.type('quit\r');
  expect(await terminal.exits()).toBe(0);
});
