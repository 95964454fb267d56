import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveDemo } from '../../../scripts/lib/served-demo.mjs';

// The real engine with the demo's model: several requests at once.

let server: Awaited<ReturnType<typeof serveDemo>>;
beforeAll(async () => {
  server = await serveDemo(['--no-mcp', '--no-repetition-guard', '--parallel', '4']);
}, 120_000);
afterAll(() => server?.stop());

const LONG = `${'The quick brown fox jumps over the lazy dog. '.repeat(250)}\nWhich animal is lazy?`;
/** A reply that does not end by itself: the token that would end it is banned. */
const ENDLESS = { max_tokens: 5000, logit_bias: { 2: -100 } };

function ask(content: string, body: object, signal?: AbortSignal): Promise<Response> {
  return fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content }], temperature: 0, ...body }),
    ...(signal && { signal }),
  });
}

async function textOf(content: string): Promise<string> {
  const response = await ask(content, { max_tokens: 30 });
  const { choices } = (await response.json()) as { choices: { message: { content: string } }[] };
  return choices[0]?.message.content ?? '';
}

/** Reads a stream; `onPiece` gets each piece of text. */
async function stream(response: Response, onPiece: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    const text = decoder.decode(chunk, { stream: true });
    for (const [, piece] of text.matchAll(/"content":"([^"]+)"/g)) onPiece(piece as string);
  }
}

describe('serve generates several replies at once', () => {
  it('a long prompt does not stop a running stream', async () => {
    const stop = new AbortController();
    let pieces = 0;
    let started = () => undefined as unknown;
    const running = new Promise<void>(resolve => {
      started = resolve as () => unknown;
    });
    const story = stream(
      await ask('Write a very long story about the sea.', { ...ENDLESS, stream: true }, stop.signal),
      () => {
        pieces += 1;
        started();
      },
    ).catch(() => undefined);
    await running;
    let before: number | undefined;
    const after = pieces;
    await stream(await ask(LONG, { max_tokens: 2, stream: true }), () => {
      before ??= pieces;
    });
    stop.abort();
    await story;
    // Over 2,000 tokens in chunks of at most a tenth of a second.
    expect((before as number) - after).toBeGreaterThanOrEqual(8);
  }, 120_000);

  it('eight clients, some of whom leave, get the texts they get alone', async () => {
    const questions = ['Paris', 'Rome', 'Oslo', 'Lima', 'Cairo', 'Delhi', 'Quito', 'Tunis'].map(
      city => `Tell me about ${city}.`,
    );
    const alone: string[] = [];
    for (const question of questions) alone.push(await textOf(question));
    const leaving = questions.slice(0, 4).map(async (question, index) => {
      const stop = new AbortController();
      let read = 0;
      const response = await ask(`${question} And more.`, { max_tokens: 60, stream: true }, stop.signal);
      await stream(response, () => {
        read += 1;
        if (read > 2 * index) stop.abort();
      }).catch(() => undefined);
    });
    const together = await Promise.all(questions.map(question => textOf(question)));
    await Promise.all(leaving);
    expect(together).toEqual(alone);
  }, 180_000);

  it('a model that ends with streams under way ends them', async () => {
    const other = await serveDemo([
      '--no-mcp',
      '--no-repetition-guard',
      '--parallel',
      '3',
      '--drain-timeout',
      '0',
    ]);
    const url = `${other.url}/v1/chat/completions`;
    const messages = [{ role: 'user', content: 'Write a very long story.' }];
    const body = JSON.stringify({ messages, ...ENDLESS, stream: true });
    const headers = { 'content-type': 'application/json' };
    const responses = await Promise.all(
      [1, 2, 3, 4].map(() => fetch(url, { method: 'POST', headers, body })),
    );
    const read = responses.map(response => response.text().catch(() => 'broken off'));
    expect(await other.stop()).toBe(143);
    for (const text of await Promise.all(read)) expect(text).not.toContain('[DONE]');
  }, 120_000);
});
