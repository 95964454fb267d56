import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Program, ROOT, runProgram, SCRIPTED_MAIN, workplace } from '../program.ts';

const LIMIT_MS = 120_000;
const CALL = '<tool_call>\n{"name": "work", "arguments": {}}\n</tool_call>';
const NOTICE = "Notice: 'work' is still at work as a task; its result is waited for, 10 s in all.";

/** A server whose tool `work` is a task that takes longer than a call may. */
function place(behaviour: string) {
  const args = [join(ROOT, 'test', 'fixtures', 'mcp', 'tasks.mjs'), 'new', behaviour];
  const { dir, env } = workplace({
    'mcp.json': JSON.stringify({ servers: { tasks: { command: process.execPath, args, timeout: 1000 } } }),
    'script.json': JSON.stringify({ replies: [CALL, 'It is done.'] }),
  });
  return { cwd: dir, env: { ...env, LLM_HOST_SCRIPT: join(dir, 'script.json') } };
}

test('-p waits for a task that outlasts the limit of its call, and the model has its result', {
  timeout: LIMIT_MS,
}, async () => {
  const { stdout, stderr, code } = await runProgram(SCRIPTED_MAIN, ['x', '-p', 'work'], {
    ...place('long'),
    stdin: '',
  });
  expect(stderr).toContain(NOTICE);
  expect(stderr).toContain('Result: worked (took');
  expect(stdout).toBe('It is done.\n');
  expect(code).toBe(0);
});

test('a piped prompt waits for it too, as does -p with JSON', { timeout: LIMIT_MS }, async () => {
  const piped = await runProgram(SCRIPTED_MAIN, ['x', '--system', 'Be brief.'], {
    ...place('long'),
    stdin: 'work\n',
  });
  expect(piped.stderr).toContain('Result: worked (took');
  const json = await runProgram(SCRIPTED_MAIN, ['x', '--json', '-p', 'work'], {
    ...place('long'),
    stdin: '',
  });
  const events = json.stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line));
  expect(events).toContainEqual(expect.objectContaining({ type: 'tool_result', text: 'worked' }));
});

test('a task that never ends is cancelled after ten times the limit, and the model is told', {
  timeout: LIMIT_MS,
}, async () => {
  const { stdout, stderr, code } = await runProgram(SCRIPTED_MAIN, ['x', '-p', 'work'], {
    ...place('endless'),
    stdin: '',
  });
  expect(stderr).toContain("ERROR: Tool 'work' timed out after 10.0s as a task, which was cancelled");
  expect(stdout).toBe('It is done.\n');
  expect(code).toBe(0);
});

test('Ctrl+C ends the wait, and the server cancels its task', { timeout: LIMIT_MS }, async () => {
  const where = place('endless');
  const log = join(where.cwd, 'log.txt');
  const program = new Program(SCRIPTED_MAIN, ['x', '-p', 'work', '--log-file', log], where);
  program.child.stdin.end();
  await expect.poll(() => program.stderr, { timeout: LIMIT_MS }).toContain(NOTICE);
  program.child.kill('SIGINT');
  const { code, stderr } = await program.ended;
  expect(code).toBe(130);
  expect(stderr).toContain('Cancelled by the user');
  expect(readFileSync(log, 'utf8')).toMatch(/tasks.*cancelled/);
});
