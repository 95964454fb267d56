import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { manyWords } from '../../fixtures/many-words.ts';
import { Program, processesLeft, SCRIPTED_MAIN, workplace } from '../program.ts';
import { Terminal } from '../pty.ts';

const LIMIT_MS = 300_000;

function place(script: object) {
  const { dir, env } = workplace({
    'config.json': '{ "SystemPrompt": "You are a helpful assistant." }',
    'mcp.json': '{ "servers": {} }',
    'script.json': JSON.stringify(script),
  });
  const history = join(dir, 'home', '.local', 'state', 'llm-host', 'history.jsonl');
  mkdirSync(dirname(history), { recursive: true });
  return { dir, env: { ...env, LLM_HOST_SCRIPT: join(dir, 'script.json') }, history };
}

test.each([
  ['the chat', ['--plain']],
  ['-p', ['-p', 'go']],
  ['--json', ['--json']],
])('%s: a reader of stdout that goes away in mid-turn (EPIPE) is no failure', async (_name, args) => {
  const { dir, env } = place({ replies: [manyWords(20_000)], msPerToken: 1 });
  const program = new Program(SCRIPTED_MAIN, ['x', '--quiet', ...args], { cwd: dir, env });
  program.child.stdin.end('go\n');
  await program.shows('w');
  await program.shows('o');
  program.child.stdout.destroy();
  expect(await program.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(await processesLeft(dir)).toEqual([]);
});

test('-p: a reader of stdout that is slow gets all of the answer', async () => {
  const reply = manyWords(5000);
  const { dir, env } = place({ replies: [reply] });
  const program = new Program(SCRIPTED_MAIN, ['x', '--quiet', '-p', 'go'], { cwd: dir, env });
  program.child.stdout.pause();
  program.child.stdin.end();
  await sleep(2000);
  program.child.stdout.resume();
  const { stdout, code } = await program.ended;
  expect([stdout.length, code]).toEqual([reply.length + 1, 0]);
});

test('stdin that ends in mid-turn: the turn is finished and kept', async () => {
  const { dir, env } = place({ replies: ['slow words'], msPerToken: 20 });
  const program = new Program(SCRIPTED_MAIN, ['x', '--plain', '--save', 'kept.json'], { cwd: dir, env });
  program.say('one');
  await program.shows('assistant -> s');
  program.child.stdin.end();
  const { stdout, code } = await program.ended;
  expect([stdout, code]).toEqual([expect.stringContaining('assistant -> slow words\n'), 0]);
  expect(readFileSync(join(dir, 'kept.json'), 'utf8')).toContain('slow words');
});

test('a locale that is not UTF-8: a clear line, and letters as they are', { timeout: LIMIT_MS }, async () => {
  const { dir, env } = place({ replies: ['漢字 é'] });
  const terminal = new Terminal(SCRIPTED_MAIN, ['x'], dir, { ...env, LANG: 'de_DE.ISO-8859-1' });
  await terminal.displays('Notice: the locale de_DE.ISO-8859-1 is not UTF-8');
  // The bytes of é in that locale.
  await terminal.displays('prompt ->');
  terminal.type('gr\u00fc\u00df dich\r');
  await terminal.displays('assistant -> 漢字 é');
  terminal.type('quit\r');
  expect(await terminal.exits()).toBe(0);
});

test('two programs share one history, with broken lines in it: both are told, nothing is lost', {
  timeout: LIMIT_MS,
}, async () => {
  const { dir, env, history } = place({ replies: ['Yes.'] });
  writeFileSync(history, '"earlier"\n{"no": "prompt"}\n"cut o\n');
  const both = ['from a', 'from b'].map(prompt => ({
    prompt,
    on: new Terminal(SCRIPTED_MAIN, ['x'], dir, env),
  }));
  for (const { prompt, on } of both) {
    await on.displays('Notice: 2 lines of');
    await on.displays('prompt ->');
    on.type(`${prompt}\r`);
  }
  for (const { on } of both) {
    await on.displays('assistant -> Yes.');
    on.type('quit\r');
    expect(await on.exits()).toBe(0);
  }
  const lines = readFileSync(history, 'utf8').split('\n');
  expect(lines).toEqual(expect.arrayContaining(['"earlier"', '"from a"', '"from b"']));
});

test('a history that cannot be read nor written is told once, and the chat goes on', {
  timeout: LIMIT_MS,
}, async () => {
  const { dir, env, history } = place({ replies: ['Yes.'] });
  mkdirSync(history);
  const terminal = new Terminal(SCRIPTED_MAIN, ['x'], dir, env);
  await terminal.displays('Notice: prompts are not kept in');
  await terminal.displays('prompt ->');
  terminal.type('one\r');
  await terminal.displays('assistant -> Yes.');
  // Up finds the prompts of this run all the same.
  terminal.type('\u001b[A');
  await terminal.displays('prompt -> one');
  terminal.type('\u0003quit\r');
  expect(await terminal.exits()).toBe(0);
  expect(terminal.screen.split('are not kept in')).toHaveLength(2);
});
