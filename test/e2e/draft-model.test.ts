import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MAIN, ROOT, runProgram, workplace } from './program.ts';

const ASKED = ['demo', '--no-mcp', '-p', 'Write a short story about rain.', '--max-tokens', '60', '--json'];

interface Event {
  readonly type: string;
  readonly text?: string;
  readonly stats?: { readonly decoding?: { readonly proposed: number } };
}

async function replied(...more: string[]) {
  const { dir, env } = workplace();
  const { code, stdout } = await runProgram(MAIN, [...ASKED, ...more], { cwd: dir, env });
  expect(code).toBe(0);
  const events = stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Event);
  const text = events.map(({ type, text = '' }) => (type === 'token' ? text : '')).join('');
  return { text, proposed: events.find(({ type }) => type === 'stats')?.stats?.decoding?.proposed };
}

test('a draft model proposes, and the text is the same', { timeout: 60_000 }, async () => {
  const plain = await replied('--no-lookup');
  const drafted = await replied('--no-lookup', '--draft-model', 'demo');
  expect(plain.proposed).toBe(0);
  expect(plain.text.length).toBeGreaterThan(40);
  expect(drafted.text).toBe(plain.text);
  expect(drafted.proposed).toBeGreaterThan(0);
});

test.each([
  [[join(ROOT, 'test/fixtures/models/tiny-f32')], 'has no tokenizer.json'],
  [['/no/such/model'], "Model '/no/such/model' not found"],
  [['demo', '--connect', 'http://127.0.0.1:9'], '--draft-model does not go with --connect'],
])('--draft-model %j is refused', async (args, message) => {
  const { dir, env } = workplace();
  const { code, stderr } = await runProgram(MAIN, [...ASKED, '--draft-model', ...args], { cwd: dir, env });
  expect(code).not.toBe(0);
  expect(stderr).toContain(message);
});
