import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { ReplyStats } from '../../../src/agent/events/turn-event.ts';
import { eventsOf } from '../../cli/chat/event-checker.ts';
import { MAIN, processesLeft, ROOT, runProgram, workplace } from '../program.ts';
import { isSetUp } from '../set-up.ts';

// Several programs one after another, each with the real model.
vi.setConfig({ testTimeout: 120_000 });

const CONVERSATION = readFileSync(join(ROOT, 'models', 'demo', 'conversation.txt'), 'utf8')
  .trim()
  .split('\n');

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
