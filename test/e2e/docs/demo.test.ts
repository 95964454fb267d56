import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { ReplyStats } from '../../../src/agent/events/turn-event.ts';
import { eventsOf } from '../../json/event-checker.ts';
import { MAIN, Program, processesLeft, ROOT, runProgram, workplace } from '../program.ts';
import { Terminal } from '../pty.ts';
import { isSetUp } from '../set-up.ts';

// Several programs one after another, each with the real model.
vi.setConfig({ testTimeout: 120_000 });

const CONVERSATION = readFileSync(join(ROOT, 'models', 'demo', 'conversation.txt'), 'utf8')
  .trim()
  .split('\n');

/** The lines of the tutorial's first conversation, as the screen shows them. */
const TUTORIAL =
  /^```\n(prompt -> [\s\S]*?)\n```$/m
    .exec(readFileSync(join(ROOT, 'docs', 'tutorial.md'), 'utf8'))?.[1]
    ?.split('\n') ?? [];

/** The first conversation in a text, from `Ready.` to its end, without times and the prompt that nobody answers. */
function conversationIn(text: string): string {
  const [conversation = ''] = /^Ready\.[\s\S]*?(?=^```|(?![\s\S]))/m.exec(text) ?? [];
  return withoutTimes(conversation.replace(/prompt -> \n$/, ''));
}

const withoutTimes = (text: string): string =>
  text.replace(/\[[\d:]+\]/g, '[time]').replace(/took [\d.]+s/g, 'took');

test('npm run demo < /dev/null: the real model calls a calculator tool and a file tool, and answers without one', async ({
  skip,
}) => {
  skip(!isSetUp(), 'the checkout is not set up: npm run bootstrap');
  const { dir, env } = workplace();
  const options = { cwd: ROOT, env: { ...process.env, ...env }, encoding: 'utf8' } as const;
  const { stdout, stderr, status } = spawnSync('sh', ['-c', 'npm run demo < /dev/null'], options);
  for (const prompt of CONVERSATION) expect(stdout).toContain(`prompt -> ${prompt}\n`);
  expect(stdout).toMatch(
    /Calling tool: add\(a=17, b=25\) \.\.\.\n\[[\d:]+\] Result: 42 \(took [\d.]+s\)\nassistant -> .*42/,
  );
  expect(stdout).toMatch(
    /Calling tool: list_files\(.*\) \.\.\.\n\[[\d:]+\] Result: recipes\/\n {2}meeting\.txt\n {2}shopping\.txt \(took/,
  );
  expect(stdout).toMatch(/Calling tool: read_file\(filename="shopping\.txt"\) \.\.\./);
  const withoutTool = stdout
    .split('prompt -> ')
    .find(turn => turn.startsWith('What is the capital of France?'));
  expect(withoutTool).toMatch(/assistant -> .*Paris/);
  expect(withoutTool).not.toContain('Calling tool');
  expect(conversationIn(stdout)).toBe(conversationIn(readFileSync(join(ROOT, 'README.md'), 'utf8')));
  expect([status, stderr.includes('Notice')]).toEqual([0, false]);
  expect(await processesLeft(dir)).toEqual([]);
});

test('-p with the real model; --save and --resume: what it has read is not read again', async () => {
  const { dir, env } = workplace();
  const ask = (...args: string[]) => runProgram(MAIN, ['demo', '--quiet', '-p', ...args], { cwd: dir, env });
  const { stdout, code } = await ask('What is 6 times 7?', '--save', 'talk.json');
  expect(stdout).toMatch(/42/);
  expect(stdout).not.toContain('Calling tool');
  expect(code).toBe(0);
  const resumed = eventsOf((await ask('And 6 times 8?', '--resume', 'talk.json', '--json')).stdout);
  const said = expect.stringMatching(/Its KV cache was loaded: \d+ tokens\./);
  expect(resumed).toContainEqual(expect.objectContaining({ type: 'notice', message: said }));
  const { stats } = resumed.find(({ type }) => type === 'stats') as unknown as { stats: ReplyStats };
  // The new prompt and the words around it are new.
  expect(stats.promptTokens - stats.cachedTokens).toBeLessThan(40);
  expect(stats.cachedTokens).toBeGreaterThan(200);
});

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

test('-p with a tool, as JSON: the answer, and events as the schema says', async () => {
  const { dir, env } = workplace();
  const args = ['demo', '--json', '-p', 'What is 17 plus 25?'];
  const events = eventsOf((await runProgram(MAIN, args, { cwd: dir, env })).stdout);
  expect(events).toContainEqual(expect.objectContaining({ type: 'tool_result', text: '42' }));
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'assistant', text: expect.stringContaining('42') }),
  );
  expect(events.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['start', 'ready', 'token', 'stats']),
  );
  expect(events.at(-1)).toMatchObject({ type: 'end', code: 0 });
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
