import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { OllamaClient } from '../../src/engine/ollama-client.ts';
import { listen } from '../fixtures/mcp/http-servers.ts';

/** A server that takes so long for the head of its answer, and again for its first line. */
async function slowServer(ms: number): Promise<string> {
  const { url, close } = await listen(async (request, response) => {
    request.resume();
    await sleep(ms);
    response.writeHead(200).flushHeaders();
    await sleep(ms);
    response.end('{"version":"9.9"}\n');
  });
  onTestFinished(close);
  return new URL(url).origin;
}

async function answersOf(client: OllamaClient): Promise<readonly unknown[]> {
  const whole = client.json('/api/version');
  const streamed: unknown[] = [];
  for await (const line of client.stream('/api/chat', {}, undefined)) streamed.push(line);
  return [await whole, ...streamed];
}

const ANSWERS = [{ version: '9.9' }, { version: '9.9' }];

it('waits as long as it was told to, where fetch gives up', async () => {
  // By default after 300 s.
  const place = Symbol.for('undici.globalDispatcher.1');
  await fetch('data:,');
  const all = globalThis as unknown as Record<symbol, { constructor: new (limits: object) => never }>;
  const before = all[place] as (typeof all)[symbol];
  all[place] = new before.constructor({ headersTimeout: 100, bodyTimeout: 100 });
  onTestFinished(() => {
    all[place] = before;
  });
  const url = await slowServer(1500);
  await expect(fetch(url)).rejects.toThrow('fetch failed');
  expect(await answersOf(new OllamaClient({ baseUrl: url, timeoutMs: 5000 }))).toEqual(ANSWERS);
});

it('a limit that is longer than a timer can be is not over at once', async () => {
  const url = await slowServer(20);
  expect(await answersOf(new OllamaClient({ baseUrl: url, timeoutMs: 3e9 }))).toEqual(ANSWERS);
});

it('does not follow a redirect', async () => {
  const { url, close } = await listen((_request, response) =>
    response.writeHead(307, { location: 'http://127.0.0.1:9/' }).end(),
  );
  onTestFinished(close);
  const client = new OllamaClient({ baseUrl: new URL(url).origin, timeoutMs: 5000 });
  await expect(client.json('/api/version')).rejects.toMatchObject({
    code: 'ENGINE_UNAVAILABLE',
    hint: expect.stringContaining('it redirects (307)'),
  });
});
