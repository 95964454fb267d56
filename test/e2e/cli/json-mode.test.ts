import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventsOf } from '../../cli/chat/event-checker.ts';
import { manyWords } from '../../fixtures/many-words.ts';
import { MAIN, Program, ROOT, runProgram, SCRIPTED_MAIN } from '../program.ts';
import { CALCULATOR, type Script, scripted } from '../scripted.ts';

const place = (script: Script) => scripted(script, { calculator: CALCULATOR });

const typesOf = (events: { type: string }[]) =>
  events.map(event => event.type).filter((type, index, all) => type !== all[index - 1]);

test('a cancel ends the turn and keeps what was said; the next prompt is answered', async () => {
  const program = new Program(SCRIPTED_MAIN, ['x', '--json'], {
    ...place({ replies: [manyWords(10_000), 'second'], msPerToken: 5 }),
  });
  program.say('{"type":"prompt","text":"one"}');
  await program.shows('"type":"token"');
  program.say('{"type":"cancel"}');
  program.say('two');
  await program.shows('"text":"second"');
  program.child.stdin.end();
  const { stdout, code } = await program.ended;
  const answers = eventsOf(stdout).filter(event => event.type === 'assistant');
  expect(answers).toEqual([
    expect.objectContaining({ cancelled: true, text: expect.stringMatching(/^w/) }),
    expect.objectContaining({ cancelled: false, text: 'second' }),
  ]);
  expect(code).toBe(0);
});

test('stdin closed in mid-turn: the turn is finished', async () => {
  const program = new Program(SCRIPTED_MAIN, ['x', '--json'], {
    ...place({ replies: ['slow words'], msPerToken: 20 }),
  });
  program.say('one');
  await program.shows('"type":"token"');
  program.child.stdin.end();
  const { stdout, code } = await program.ended;
  expect(eventsOf(stdout).at(-2)).toMatchObject({ type: 'assistant', text: 'slow words' });
  expect(code).toBe(0);
});

test('a start-up that fails is an error event, and the end has the exit code', async () => {
  const { stdout, stderr, code } = await runProgram(MAIN, ['no-such/model', '--json', '--no-mcp'], {
    ...place({ replies: [] }),
  });
  const events = eventsOf(stdout);
  expect(typesOf(events)).toEqual(['start', 'error', 'end']);
  expect(events.at(-1)).toMatchObject({ code: 66 });
  expect(stderr).toContain("Error: Model 'no-such/model' not found");
  expect(code).toBe(66);
});

test('a turn of -p that ends in an error exits with its code, as without --json', async () => {
  const [error, exit] = ['OUT_OF_MEMORY', 71];
  const where = place({});
  const module = join(where.cwd, 'failing.mjs');
  writeFileSync(
    module,
    `import { LlmHostError } from ${JSON.stringify(join(ROOT, 'dist', 'errors.js'))};
    export const reply = () => { throw new LlmHostError('${error}', 'it failed'); };`,
  );
  writeFileSync(where.env.LLM_HOST_SCRIPT, JSON.stringify({ module }));
  const { stdout, code } = await runProgram(SCRIPTED_MAIN, ['x', '--json', '-p', 'one', '--no-mcp'], where);
  expect(eventsOf(stdout).slice(-2)).toMatchObject([
    { type: 'error', code: error },
    { type: 'end', code: exit },
  ]);
  expect(code).toBe(exit);
  const plain = await runProgram(SCRIPTED_MAIN, ['x', '-p', 'one', '--no-mcp'], where);
  expect(plain.code).toBe(exit);
});

test('SIGINT in the turn of -p: it is cancelled, and the exit code is 130', async () => {
  const program = new Program(SCRIPTED_MAIN, ['x', '--json', '-p', 'one', '--no-mcp'], {
    ...place({ replies: [manyWords(10_000)], msPerToken: 5 }),
  });
  program.child.stdin.end();
  await program.shows('"type":"token"');
  program.child.kill('SIGINT');
  const { stdout, code } = await program.ended;
  expect(eventsOf(stdout).slice(-2)).toMatchObject([
    { type: 'assistant', cancelled: true },
    { type: 'end', code: 130 },
  ]);
  expect(code).toBe(130);
});

test('SIGTERM in a turn: it is cancelled, told and saved, then comes the end', async () => {
  const where = place({ replies: [manyWords(10_000), 'never'], msPerToken: 5 });
  const program = new Program(SCRIPTED_MAIN, ['x', '--json', '--no-mcp'], where);
  program.say('{"type":"prompt","text":"one"}');
  program.say('{"type":"prompt","text":"two"}');
  await program.shows('"type":"token"');
  program.child.kill('SIGTERM');
  const { stdout, code } = await program.ended;
  const events = eventsOf(stdout);
  expect(events.slice(-3)).toMatchObject([
    { type: 'stats', stats: { finishReason: 'cancelled' } },
    { type: 'assistant', cancelled: true },
    { type: 'end', code: 143 },
  ]);
  expect(events.filter(({ type }) => type === 'user')).toHaveLength(1);
  expect(code).toBe(143);
  const folder = join(where.cwd, 'home', '.local', 'state', 'llm-host', 'sessions');
  const [saved = ''] = readdirSync(folder);
  expect(JSON.parse(readFileSync(join(folder, saved), 'utf8')).messages.slice(1)).toEqual([
    { role: 'user', content: 'one' },
    { role: 'assistant', content: events.at(-2)?.text },
  ]);
});

test('SIGTERM while the model loads: the stream has an end', async () => {
  const program = new Program(SCRIPTED_MAIN, ['x', '--json', '--no-mcp'], {
    ...place({ replies: [], openMs: 60_000 }),
  });
  await program.shows('"type":"start"');
  program.child.kill('SIGTERM');
  const { stdout } = await program.ended;
  expect(eventsOf(stdout)).toMatchObject([{ type: 'start' }, { type: 'end', code: 143 }]);
});
