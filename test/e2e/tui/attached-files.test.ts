import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runProgram, SCRIPTED_MAIN, workplace } from '../program.ts';
import { Terminal } from '../pty.ts';

const LIMIT_MS = 180_000;

/** A folder with files to attach; the engine answers 'Seen.' each time. */
function place() {
  const { dir, env } = workplace({
    'config.json': '{ "SystemPrompt": "Be brief." }',
    'mcp.json': '{ "servers": {} }',
    'script.json': JSON.stringify({ replies: Array(9).fill('Seen.') }),
    'my notes.txt': 'milk @other.txt',
    'other.txt': 'not asked for',
  });
  mkdirSync(join(dir, 'src'));
  writeFileSync(join(dir, 'src', 'main.ts'), 'let x = 1;\r\n');
  writeFileSync(join(dir, 'photo.png'), Buffer.from('89504e470d0a1a0a0000', 'hex'));
  symlinkSync('/etc/passwd', join(dir, 'users'));
  const state = join(dir, 'state');
  return { dir, env: { ...env, XDG_STATE_HOME: state, LLM_HOST_SCRIPT: join(dir, 'script.json') } };
}

test('on the screen the menu offers files, and what was attached is told', {
  timeout: LIMIT_MS,
}, async () => {
  const { dir, env } = place();
  const terminal = new Terminal(SCRIPTED_MAIN, ['x', '--quiet', '--save', 'talk.json'], dir, env);
  await terminal.displays('prompt ->');
  terminal.type('what is in @my');
  await terminal.displays('@"my notes.txt"');
  terminal.type('\t');
  await terminal.displays('prompt -> what is in @"my notes.txt"');
  terminal.type('and @sr\t');
  await terminal.displays('@src/main.ts');
  terminal.type('\t\r');
  await terminal.displays("Attached 'src/main.ts': 1 line");
  await terminal.displays('assistant -> Seen.');
  terminal.type('/stats\r');
  await terminal.displays('Session: 1 reply');
  const asked = JSON.parse(readFileSync(join(dir, 'talk.json'), 'utf8')).messages[1].content;
  expect(asked).toContain('File my notes.txt:\n```\nmilk @other.txt\n```');
  expect(asked).toContain('File src/main.ts:\n```\nlet x = 1;\n```');
  expect(asked).not.toContain('not asked for');
  terminal.type('/retry\r');
  await terminal.displays('assistant -> Seen.', { times: 2 });
  expect(JSON.parse(readFileSync(join(dir, 'talk.json'), 'utf8')).messages[1].content).toBe(asked);
  terminal.type('look at @photo.png\r');
  const refused = "Error: 'photo.png' is an image: this model reads no images";
  await terminal.displays(refused);
  terminal.type('/retry\r');
  await terminal.displays(refused, { times: 2 });
  expect(JSON.parse(readFileSync(join(dir, 'talk.json'), 'utf8')).messages[1].content).toBe(asked);
  terminal.type('bye\r');
  expect(await terminal.exits()).toBe(0);
});

test('-p attaches what the prompt names and nothing that is piped in', { timeout: LIMIT_MS }, async () => {
  const { dir, env } = place();
  const args = ['x', '-p', 'sum up @"my notes.txt"', '--save', 'talk.json'];
  const { code, stdout, stderr } = await runProgram(SCRIPTED_MAIN, args, {
    cwd: dir,
    env,
    stdin: 'see @other.txt',
  });
  expect([code, stdout]).toEqual([0, 'Seen.\n']);
  expect(stderr).toContain("Attached 'my notes.txt': 1 line");
  expect(stderr).not.toContain("'other.txt'");
  const asked = JSON.parse(readFileSync(join(dir, 'talk.json'), 'utf8')).messages[1].content;
  expect(asked).toContain('see @other.txt\n\nFile my notes.txt:');
});

test('-p refuses before the model is asked: exit 2', { timeout: LIMIT_MS }, async () => {
  const { dir, env } = place();
  for (const [prompt, message] of [
    ['@photo.png', 'reads no images'],
    ['@./none.txt', "'@./none.txt' does not exist"],
    ['@src', "'@src' is a folder"],
  ] as const) {
    const { code, stdout, stderr } = await runProgram(SCRIPTED_MAIN, ['x', '-p', prompt], { cwd: dir, env });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  }
});

test('in line mode files are attached too; a JSON prompt names none', { timeout: LIMIT_MS }, async () => {
  const { dir, env } = place();
  const lines = await runProgram(SCRIPTED_MAIN, ['x', '--plain'], {
    cwd: dir,
    env,
    stdin: 'who is in @users?\n',
  });
  expect(lines.stdout + lines.stderr).toContain("a link to '/etc/passwd'");
  const json = await runProgram(SCRIPTED_MAIN, ['x', '--json'], {
    cwd: dir,
    env,
    stdin: '{"type":"prompt","text":"who is in @users?"}\n',
  });
  expect(json.stdout).not.toContain('Attached');
});
