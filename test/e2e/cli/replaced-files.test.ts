import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MAIN, Program, processesLeft, SCRIPTED_MAIN, workplace } from '../program.ts';

const CALL = '<tool_call>\n{"name": "add", "arguments": {"a": 1, "b": 1}}\n</tool_call>';
const TIMEOUT = { timeout: 120_000 };

/** A chat in lines, asked one thing after the other. */
async function chat(more: object = {}) {
  const { dir, env } = workplace({
    'config.json': '{ "SystemPrompt": "You are a helpful assistant." }',
    'mcp.json': JSON.stringify({
      servers: { calculator: { command: process.execPath, args: [MAIN, 'server', 'calculator'] } },
    }),
    'script.json': JSON.stringify({ replies: Array(20).fill([CALL, 'Two.']).flat(), ...more }),
  });
  const program = new Program(SCRIPTED_MAIN, ['x', '--plain', '--save', 'kept.json'], {
    cwd: dir,
    env: { ...env, LLM_HOST_SCRIPT: join(dir, 'script.json') },
  });
  await program.shows('Ready.');
  let asked = 0;
  const ask = async (): Promise<string> => {
    const from = program.stdout.length;
    asked += 1;
    program.say(`question ${asked}`);
    await expect.poll(() => program.stdout.slice(from), { timeout: 30_000 }).toContain('assistant -> Two.\n');
    await expect.poll(() => program.stdout.slice(from), { timeout: 30_000 }).toMatch(/prompt -> $/);
    return program.stdout.slice(from);
  };
  const state = join(dir, 'home', '.local', 'state', 'llm-host');
  return { dir, program, ask, state, kept: join(dir, 'kept.json') };
}

const replaceBy: Readonly<Record<string, (path: string) => void>> = {
  'a pipe': path => void execFileSync('mkfifo', [path]),
  'a folder': path => mkdirSync(path),
  'a link to a device': path => symlinkSync('/dev/full', path),
  'a link to nothing': path => symlinkSync('/nowhere/at/all', path),
  nothing: () => undefined,
  'half of itself': path => writeFileSync(path, '{"ver'),
};

test(
  'every file of a running chat is replaced by things that are no files: it goes on',
  TIMEOUT,
  async () => {
    const { dir, program, ask, state, kept } = await chat();
    await ask();
    expect(readFileSync(kept, 'utf8')).toContain('question 1');
    const files = ['config.json', 'mcp.json', 'kept.json'].map(name => join(dir, name));
    for (const [thing, put] of Object.entries(replaceBy)) {
      const sessions = readdirSync(join(state, 'sessions')).map(name => join(state, 'sessions', name));
      const all = [
        ...files,
        ...sessions,
        ...['audit.jsonl', 'llm-host.log', 'trust.json', 'mcp-eras.json'].map(name => join(state, name)),
      ];
      for (const path of all) {
        rmSync(path, { recursive: true, force: true });
        put(path);
      }
      expect.soft(await ask(), thing).toContain('Result: 2');
      program.say('/sessions');
      program.say('/mcp');
    }
    // The last of them could be written over.
    expect(readFileSync(kept, 'utf8')).toContain('question 7');
    program.say('quit');
    expect(await program.ended).toMatchObject({ code: 0, signal: null });
    expect(await processesLeft(dir)).toEqual([]);
  },
);

test('the state folder and the working folder go away under a running chat', TIMEOUT, async () => {
  const { dir, program, ask, state } = await chat();
  await ask();
  rmSync(state, { recursive: true });
  writeFileSync(state, 'in the way');
  expect(await ask()).toContain('Result: 2');
  rmSync(state);
  await ask();
  expect(
    readFileSync(join(state, 'sessions', readdirSync(join(state, 'sessions'))[0] ?? ''), 'utf8'),
  ).toContain('question 3');
  rmSync(dir, { recursive: true });
  expect(await ask()).toContain('Result: 2');
  program.say('What is in @notes.txt?');
  program.say('quit');
  expect(await program.ended).toMatchObject({ code: 0, signal: null });
  expect(await processesLeft(dir)).toEqual([]);
  rmSync(dir, { recursive: true, force: true });
  expect(existsSync(dir)).toBe(false);
});
