import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { MAIN, Program, runProgram, workplace } from '../program.ts';

// The real engine with the demo's model, in processes of their own.

const SYSTEM = `You answer in one sentence. ${'Rain falls on the hills, and the river carries it to the sea. '.repeat(30)}`;

interface Event {
  readonly type: string;
  readonly text?: string;
  readonly stats?: { readonly cachedTokens: number };
}

function place() {
  const { dir, env } = workplace({ 'system.txt': SYSTEM });
  const folder = join(dir, 'home', '.cache', 'llm-host', 'prefixes');
  const args = (question: string, more: readonly string[]) => [
    ...['demo', '--no-mcp', '--system', '@system.txt', '-p', question],
    ...[
      '--max-tokens',
      '12',
      '--reproducible',
      '--json',
      '--log-level',
      'debug',
      '--log-file',
      'log',
      ...more,
    ],
  ];
  const ask = async (question: string, ...more: string[]) => {
    const { code, stdout, stderr } = await runProgram(MAIN, args(question, more), { cwd: dir, env });
    expect([code, stderr]).toEqual([0, '']);
    const events = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as Event);
    const text = events.map(({ type, text = '' }) => (type === 'token' ? text : '')).join('');
    return { text, cached: events.find(({ type }) => type === 'stats')?.stats?.cachedTokens ?? -1 };
  };
  const files = () => readdirSync(folder, { encoding: 'utf8' });
  return { dir, env, folder, args, ask, files, log: () => readFileSync(join(dir, 'log'), 'utf8') };
}

test('a second process does not read the system prompt again, and says the same', {
  timeout: 120_000,
}, async () => {
  const { ask, files, folder, log } = place();
  const fresh = await ask('Why is the sky blue?', '--disk-cache-mb', '0');
  expect(() => files()).toThrow('ENOENT');
  expect((await ask('Who are you?')).cached).toBe(0);
  expect(files()).toEqual([expect.stringMatching(/^[0-9a-f]{64}\.safetensors$/)]);
  expect(log()).toMatch(/A prefix of \d+ tokens is kept in /);
  const second = await ask('Why is the sky blue?');
  expect(second.cached).toBeGreaterThan(300);
  expect(second.text).toBe(fresh.text);
  expect((await ask('Why is the sky blue?', '--disk-cache-mb', '0')).cached).toBe(0);

  // Damaged: as if there were none, and the log says so.
  const path = join(folder, files()[0] as string);
  writeFileSync(path, readFileSync(path).subarray(0, 5000));
  expect(await ask('Why is the sky blue?')).toEqual(fresh);
  expect(log()).toContain('A kept prefix is not used: ');
  expect((await ask('Why is the sky blue?')).cached).toBe(second.cached);
});

test('processes that write it at once, some of them killed, leave one whole file', {
  timeout: 120_000,
}, async () => {
  const { ask, args, dir, env, files } = place();
  const killed = [100, 600, 1100, 1600].map(async ms => {
    const program = new Program(MAIN, args('Who are you?', []), { cwd: dir, env });
    await sleep(ms);
    program.child.kill('SIGKILL');
    await program.ended;
  });
  const [one, other] = await Promise.all([ask('Who are you?'), ask('Who are you?'), ...killed]);
  expect(one).toEqual({ ...other, cached: one?.cached });
  expect(files().filter(name => name.endsWith('.safetensors'))).toHaveLength(1);
  expect((await ask('Who are you?')).cached).toBeGreaterThan(300);
});

test('what is larger than the limit is not kept', { timeout: 60_000 }, async () => {
  const { ask, files, log } = place();
  await ask('Who are you?', '--disk-cache-mb', '0.5');
  expect(files()).toEqual([]);
  expect(log()).toMatch(/is not kept: .* are allowed/);
});

test('a server finds what a chat has read', { timeout: 120_000 }, async () => {
  const { ask, dir, env, folder, files } = place();
  await ask('Who are you?');
  const before = statSync(join(folder, files()[0] as string)).mtimeMs;
  const server = new Program(MAIN, ['serve', 'demo', '--no-mcp', '--port', '0'], { cwd: dir, env });
  const address = await vi.waitFor(
    () => {
      const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(server.stdout + server.stderr) ?? [];
      expect(found).toBeDefined();
      return found;
    },
    { timeout: 60_000, interval: 20 },
  );
  const response = await fetch(`${address}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      messages: [
        { role: 'system', content: SYSTEM.trimEnd() },
        { role: 'user', content: 'What is rain?' },
      ],
      max_tokens: 4,
      seed: 1,
    }),
  });
  const { usage } = (await response.json()) as {
    usage: { prompt_tokens_details: { cached_tokens: number } };
  };
  expect(usage.prompt_tokens_details.cached_tokens).toBeGreaterThan(300);
  expect(files()).toHaveLength(1);
  expect(statSync(join(folder, files()[0] as string)).mtimeMs).toBeGreaterThan(before);
  server.child.kill('SIGTERM');
  expect((await server.ended).code).toBe(143);
});
