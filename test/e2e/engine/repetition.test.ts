import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MAIN, runProgram, SCRIPTED_MAIN, workplace } from '../program.ts';
import { Terminal } from '../pty.ts';

const LIMIT_MS = 180_000;
const NOTICE = 'Notice: The reply repeated itself without end and was stopped';
const ENDLESS = 'and so on '.repeat(1000);

function place(config: object = {}) {
  const { dir, env } = workplace({
    'config.json': JSON.stringify({ SystemPrompt: 'You are a helpful assistant.', ...config }),
    'mcp.json': '{ "servers": {} }',
    'script.json': JSON.stringify({ replies: [ENDLESS, 'Well.'] }),
  });
  return { cwd: dir, env: { ...env, LLM_HOST_SCRIPT: join(dir, 'script.json') } };
}

test('on the screen: a reply without end is stopped with a notice, and the chat goes on', {
  timeout: LIMIT_MS,
}, async () => {
  const { cwd, env } = place();
  const terminal = new Terminal(SCRIPTED_MAIN, ['x'], cwd, env);
  await terminal.displays('prompt ->');
  terminal.type('go\r');
  const lines = await terminal.displays('The reply repeated itself');
  expect(lines.join(' ').split('and so on').length).toBeLessThanOrEqual(22);
  terminal.type('and?\r');
  await terminal.displays('assistant -> Well.');
  terminal.type('bye\r');
  expect(await terminal.exits()).toBe(0);
});

test.each([
  ['-p', [], true, {}],
  ['--no-repetition-guard', ['--no-repetition-guard'], false, {}],
  ['repetitionGuard: false in config.json', [], false, { repetitionGuard: false }],
  ['the option over config.json', ['--repetition-guard'], true, { repetitionGuard: false }],
])('%s', async (_name, options, stopped, config) => {
  const { stdout, stderr, code } = await runProgram(
    SCRIPTED_MAIN,
    ['x', '-p', 'go', ...options],
    place(config),
  );
  expect(stdout.length).toBe(stopped ? 201 : ENDLESS.length + 1);
  expect([stderr.includes(NOTICE), code]).toEqual([stopped, 0]);
});

test('the real model, made to say one word for ever', { timeout: LIMIT_MS }, async () => {
  const { dir, env } = workplace();
  // The biggest bias there is: no other token can win.
  const args = ['demo', '--quiet', '-p', 'Hello', '--logit-bias', '1050=100', '--max-tokens', '2000'];
  const { stdout, stderr, code } = await runProgram(MAIN, args, { cwd: dir, env });
  expect([stderr.includes(NOTICE), code]).toEqual([true, 0]);
  expect(stdout).toBe(`${'cent'.repeat(200)}\n`);
});
