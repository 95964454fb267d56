import { expect, it } from 'vitest';
import { serveScripted } from './scripted.ts';

const messages = [{ role: 'user', content: '?' }];

it.each([
  ['/v1/chat/completions', { messages, top_p: 0 }],
  ['/v1/completions', { prompt: '?', top_p: 0 }],
  ['/v1/responses', { input: '?', top_p: 0 }],
  ['/v1/messages', { messages, max_tokens: 9, top_p: 0 }],
  ['/api/chat', { model: 'scripted', stream: false, messages, options: { top_p: 0 } }],
])('%s: a top_p of 0, which is in the range of every API, leaves one token', async (path, body) => {
  const { url, engine } = await serveScripted(() => 'ok');
  const response = await fetch(url + path, { method: 'POST', body: JSON.stringify(body) });
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('ok')]);
  const { topP } = engine.requests[0] ?? {};
  expect(topP).toBeGreaterThan(0);
  expect(topP).toBeLessThan(1e-4);
});
