import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadEngine } from '../../../src/engine/load-engine.ts';
import { MAIN, ROOT, runProgram, workplace } from '../program.ts';

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

test('the text is the same with a draft model', { timeout: 60_000 }, async () => {
  const plain = await replied('--no-lookup');
  const drafted = await replied('--no-lookup', '--draft-model', 'demo');
  expect(plain.proposed).toBe(0);
  expect(plain.text.length).toBeGreaterThan(40);
  expect(drafted.text).toBe(plain.text);
});

// When it is given up again: native/test/engine/speculate/draft_governor_test.cc, where passes take given times.
test('a draft model is tried after a short prompt', { timeout: 60_000 }, async () => {
  const engine = await loadEngine('demo', { draftModel: 'demo', contextLength: 256 });
  try {
    const request = { promptIds: [1, 2, 3, 4], maxTokens: 40, ignoreEos: true, lookup: false };
    const tokens = engine.generate(request);
    let step = await tokens.next();
    while (!step.done) step = await tokens.next();
    expect(step.value.decoding?.proposed).toBeGreaterThan(0);
  } finally {
    await engine.close();
  }
});

test.each([
  [[join(ROOT, 'test/fixtures/models/tiny-f32')], 'has no tokenizer.json'],
  [
    [join(ROOT, 'test/fixtures/encoders/bert-mean')],
    'bert-mean turns texts into vectors and proposes no tokens',
  ],
  [['/no/such/model'], "Model '/no/such/model' not found"],
])('--draft-model %j is refused', async (args, message) => {
  const { dir, env } = workplace();
  const { code, stderr } = await runProgram(MAIN, [...ASKED, '--draft-model', ...args], { cwd: dir, env });
  expect(code).not.toBe(0);
  expect(stderr).toContain(message);
});
