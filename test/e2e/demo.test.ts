import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MAIN, Program, processesLeft, ROOT, runProgram, workplace } from './program.ts';

const CONVERSATION = readFileSync(join(ROOT, 'models', 'demo', 'conversation.txt'), 'utf8');

test('the demo: the real model calls a calculator tool and a file tool, and answers without one', async () => {
  const { dir, env } = workplace();
  const { stdout, stderr, code } = await runProgram(MAIN, ['demo'], { cwd: dir, env, stdin: CONVERSATION });
  expect(stdout).toMatch(
    /Calling tool: add\(a=17, b=25\) \.\.\.\n\[[\d:]+\] Result: 42 \(took [\d.]+s\)\nassistant -> .*42/,
  );
  expect(stdout).toMatch(
    /Calling tool: list_files\(.*\) \.\.\.\n\[[\d:]+\] Result: meeting\.txt\nrecipes\/\nshopping\.txt \(took/,
  );
  expect(stdout).toMatch(/Calling tool: read_file\(filename="shopping\.txt"\) \.\.\./);
  const withoutTool = stdout
    .split('prompt -> ')
    .find(turn => turn.startsWith('What is the capital of France?'));
  expect(withoutTool).toMatch(/assistant -> .*Paris/);
  expect(withoutTool).not.toContain('Calling tool');
  expect([code, stderr.includes('Notice')]).toEqual([0, false]);
  expect(await processesLeft(dir)).toEqual([]);
});

test('-p with the real model', async () => {
  const { dir, env } = workplace();
  const { stdout, code } = await runProgram(MAIN, ['demo', '-p', 'What is 6 times 7?', '--quiet'], {
    cwd: dir,
    env,
  });
  expect(stdout).toMatch(/42/);
  expect(stdout).not.toContain('Calling tool');
  expect(code).toBe(0);
});

test('SIGTERM while the real model generates: 143, nothing left', async () => {
  const { dir, env } = workplace();
  const program = new Program(MAIN, ['demo', '--no-mcp', '--max-tokens', '2000'], { cwd: dir, env });
  await program.shows('Ready.');
  program.say('Write a long story about a fox.');
  await program.shows('assistant -> ');
  program.child.kill('SIGTERM');
  expect(await program.ended).toMatchObject({ code: 143, signal: null });
  expect(await processesLeft(dir)).toEqual([]);
});

test('the demo works on a copy of its sample folder', async () => {
  const { dir, env } = workplace();
  await runProgram(MAIN, ['demo'], { cwd: dir, env, stdin: 'Delete the file shopping.txt\n' });
  expect(existsSync(join(ROOT, 'models', 'demo', 'sample', 'shopping.txt'))).toBe(true);
});
