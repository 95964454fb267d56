import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { manyWords } from '../../fixtures/many-words.ts';
import { MAIN, runProgram, SCRIPTED_MAIN, workplace } from '../program.ts';

function place(script: object = { replies: ['one two three\n'.repeat(200)] }) {
  const { dir, env } = workplace({
    'config.json': '{ "SystemPrompt": "You are a helpful assistant." }',
    'mcp.json': '{ "servers": {} }',
    'script.json': JSON.stringify(script),
  });
  return { dir, env: { ...env, LLM_HOST_SCRIPT: join(dir, 'script.json') } };
}

/** Runs a line of the shell; `$main` and `$scripted` are the program. */
function shell(line: string, { dir, env }: ReturnType<typeof place>) {
  return new Promise<{ code: number; stdout: string; stderr: string }>(resolve => {
    const main = `'${process.execPath}' '${MAIN}'`;
    const scripted = `'${process.execPath}' '${SCRIPTED_MAIN}'`;
    const whole = line.replaceAll('$main', main).replaceAll('$scripted', scripted);
    execFile(
      'bash',
      ['-o', 'pipefail', '-c', whole],
      { cwd: dir, env, timeout: 60_000 },
      (error, stdout, stderr) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr }),
    );
  });
}

test.each([
  ['help', '$main --help | head -1', 0, ''],
  ['tools', '$main tools | head -1', 0, ''],
  ['a list', '$main list | head -c 1', 0, ''],
  ['an answer', '$scripted x --quiet -p go </dev/null | head -1', 0, ''],
  ['events', '$scripted x --json -p go </dev/null | head -1', 0, ''],
  ['help, and stdout is closed', '$main --help >&-', 0, ''],
  ['an answer, and stdout is closed', '$scripted x --quiet -p go </dev/null >&-', 0, ''],
  ['an answer, and stderr is closed', '$scripted x -p go </dev/null 2>&-', 0, ''],
  ['lines, and stdin is closed', '$scripted x --plain <&-', 0, ''],
  ['events, and stdin is closed', '$scripted x --json <&-', 0, ''],
  ['an answer, and all three are closed', '$scripted x --quiet -p go <&- >&- 2>&-', 0, ''],
  [
    'an answer on a full disk',
    '$scripted x --quiet -p go </dev/null >/dev/full',
    1,
    'no space left on device',
  ],
  ['a script on a full disk', '$main completion bash >/dev/full', 1, 'no space left on device'],
  ['help on a full disk', '$main --help >/dev/full', 1, 'no space left on device'],
  ['the version on a full disk', '$main --version >/dev/full', 1, 'no space left on device'],
])('%s: %s', async (_, line, code, words) => {
  const ended = await shell(line, place());
  expect([ended.code, ended.stderr.replaceAll(/\/\S+/g, '/...')]).toEqual([
    code,
    expect.stringContaining(words),
  ]);
  expect(ended.stderr).not.toMatch(/\bat .*\.[jt]s:\d+|Unhandled|node:/);
});

test('a disk that is full when a conversation is saved: told once, the chat goes on, nothing is left half written', async () => {
  const there = place({ replies: ['short', manyWords(4000), manyWords(4000)] });
  const before = join(there.dir, 'kept.json');
  // No file may grow beyond 8 KB, as on a disk that is full.
  const { code, stdout } = await shell(
    `ulimit -f 8; printf 'one\\ntwo\\nthree\\nquit\\n' | $scripted x --plain --save kept.json`,
    there,
  );
  expect(code).toBe(0);
  expect(stdout.match(/The session cannot be saved to \S*kept\.json/g)).toHaveLength(1);
  expect(stdout.match(/assistant -> /g)).toHaveLength(3);
  expect(JSON.parse(readFileSync(before, 'utf8')).messages.at(-1)).toMatchObject({ content: 'short' });
  expect(readdirSync(there.dir).filter(name => name.includes('.tmp'))).toEqual([]);
});

test('a binary file on stdin: a few notices, one prompt, an answer', async () => {
  const { dir, env } = place({ replies: ['fine'], contextLength: 1e6 });
  const { code, stdout, stderr } = await runProgram(SCRIPTED_MAIN, ['x', '--quiet', '-p', 'go'], {
    cwd: dir,
    env: { ...env },
    stdin: randomBytes(300_000),
  });
  expect([code, stdout]).toEqual([0, 'fine\n']);
  expect(stderr.split('\n').length).toBeLessThan(10);
  expect(stderr).toMatch(/\d+ more lines of the input were cut or are not valid UTF-8\./);
});
