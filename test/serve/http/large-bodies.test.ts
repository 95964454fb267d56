import { expect, it } from 'vitest';
import { serveScripted } from '../scripted.ts';

const user = { role: 'user', content: 'a' };
const call = { type: 'function', function: { name: 't', arguments: '{}' } };

/** Milliseconds of this thread, serving included; a request like these once took seconds of it. */
const MOST_MS = 2000;

it.each([
  ['/v1/completions', { prompt: Array(1_000_000).fill(65) }, /about 1000000 tokens, but the context holds/],
  ['/v1/completions', { prompt: 'a '.repeat(4_000_000) }, /about 8000000 tokens, but the context holds/],
  ['/v1/completions', { prompt: Array(400_000).fill('a') }, /400000 texts/],
  [
    '/v1/chat/completions',
    { messages: [{ ...user, content: 'a '.repeat(4_000_000) }] },
    /about 8000000 tokens/,
  ],
  ['/v1/chat/completions', { messages: Array(180_000).fill(user) }, /<=10000 items/],
  [
    '/v1/chat/completions',
    { messages: [user, { role: 'assistant', tool_calls: Array(60_000).fill({ id: 'c', ...call }) }, user] },
    /<=512 items/,
  ],
])('%s refuses a body of megabytes before it costs much', async (path, body, message) => {
  const served = await serveScripted(() => 'ok');
  const text = JSON.stringify(body);
  const before = process.cpuUsage();
  const response = await fetch(`${served.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: text,
  });
  const { user: used } = process.cpuUsage(before);
  expect(response.status).toBe(400);
  expect(((await response.json()) as { error: { message: string } }).error.message).toMatch(message);
  expect(used / 1000).toBeLessThan(MOST_MS);
});
