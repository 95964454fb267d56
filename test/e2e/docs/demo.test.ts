import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { MAIN, Program, processesLeft, ROOT, runProgram, workplace } from '../program.ts';
import { Terminal } from '../pty.ts';

// Several programs one after another, each with the real model.
vi.setConfig({ testTimeout: 120_000 });

/** The lines of the tutorial's first conversation, as the screen shows them. */
const TUTORIAL =
  /^```\n(prompt -> [\s\S]*?)\n```$/m
    .exec(readFileSync(join(ROOT, 'docs', 'tutorial.md'), 'utf8'))?.[1]
    ?.split('\n') ?? [];

const withoutTimes = (text: string): string =>
  text.replace(/\[[\d:]+\]/g, '[time]').replace(/took [\d.]+s/g, 'took');

test('echo | llm-host demo: one line on stdout, the answer', async () => {
  const { dir, env } = workplace();
  const { stdout, stderr, code } = await runProgram(MAIN, ['demo'], {
    cwd: dir,
    env,
    stdin: 'What is 17 + 25?\n',
  });
  expect([stdout, code]).toEqual(['17 + 25 is 42.\n', 0]);
  expect(stderr).toMatch(/Ready\.[\s\S]*\nprompt -> What is 17 \+ 25\?\n.*Calling tool: add\(a=17, b=25\)/);
});

test('the screen with the real model: tools, Ctrl+O for earlier results, Esc, bye', {
  timeout: 300_000,
}, async () => {
  const { dir, env } = workplace();
  const terminal = new Terminal(MAIN, ['demo'], dir, env);
  await terminal.displays('2/2 servers');
  terminal.type('What is 17 plus 25?\r');
  await terminal.displays('assistant -> 17 + 25 is 42.');
  const [call, result] = (await terminal.emulator.lines(true)).filter(line => /^│ \[\d\d:/.test(line));
  expect([call, result]).toEqual([
    expect.stringMatching(/Calling tool: add\(a=17, b=25\) \.\.\. \(took [\d.]+s\)$/),
    expect.stringMatching(/ Result: 42$/),
  ]);
  terminal.type('List the files.\r');
  await terminal.displays(TUTORIAL.at(-1) ?? 'nothing');
  const shown = (await terminal.emulator.lines(true)).map(line => line.replace(/^[│▌] /, '').trimEnd());
  for (const line of TUTORIAL) {
    expect(shown.map(withoutTimes)).toContain(withoutTimes(line));
  }
  terminal.type('\u000f');
  await terminal.displays('Result 1 of 2 from the last, list_files:');
  terminal.type('\u000f');
  await terminal.displays('Result 2 of 2 from the last, add:');
  // Long enough to be still read when Esc comes.
  terminal.type(`\u001b[200~${'What is this? '.repeat(1200)}\u001b[201~\r`);
  await terminal.displays(' reading ');
  terminal.type('\u001b');
  await terminal.displays('[cancelled]');
  terminal.type('bye\r');
  expect(await terminal.exits()).toBe(0);
  expect(terminal.screen.lastIndexOf('\u001b[?25h')).toBeGreaterThan(
    terminal.screen.lastIndexOf('\u001b[?25l'),
  );
  expect(await processesLeft(dir)).toEqual([]);
});

test('-p --schema: the answer is JSON that fits', async () => {
  const schema = {
    type: 'object',
    properties: {
      city: { type: 'string' },
      capital: { type: 'boolean' },
      country: { enum: ['France', 'Spain'] },
    },
    required: ['city', 'capital', 'country'],
  };
  const { dir, env } = workplace({ 'schema.json': JSON.stringify(schema) });
  const asked = ['-p', 'Where is the Eiffel Tower?', '--schema', 'schema.json', '--max-tokens', '100'];
  const { stdout, code } = await runProgram(MAIN, ['demo', '--no-mcp', ...asked], { cwd: dir, env });
  expect(JSON.parse(stdout)).toEqual({
    city: expect.any(String),
    capital: expect.any(Boolean),
    country: expect.stringMatching(/^(?:France|Spain)$/),
  });
  expect(code).toBe(0);
});

test('SIGTERM while the real model generates: 143, nothing left', async () => {
  const { dir, env } = workplace();
  const program = new Program(MAIN, ['demo', '--plain', '--no-mcp', '--max-tokens', '2000'], {
    cwd: dir,
    env,
  });
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
