import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { ask, chat, endless } from '../asking.ts';
import { callText, type Script, type ServeOptions, serveScripted, until } from '../scripted.ts';

const model = 'org/scripted';
const messages = [{ role: 'user' as const, content: 'Hi' }];

async function clientOf(script: Script, options?: ServeOptions) {
  const server = await serveScripted(script, options);
  const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 });
  return { ...server, client };
}

/** Says a different word each time. */
function counting(): Script {
  let count = 0;
  return () => {
    count += 1;
    return `reply ${count}`;
  };
}

describe('n', () => {
  it('replies of a chat, each with the next seed, in one place of the queue', async () => {
    const { client, engine, context } = await clientOf(counting(), { places: 1 });
    const reply = await client.chat.completions.create({ model, messages, n: 3, seed: 2 ** 32 - 2 });
    expect(
      reply.choices.map(({ index, message, finish_reason }) => [index, message.content, finish_reason]),
    ).toEqual([
      [0, 'reply 1', 'stop'],
      [1, 'reply 2', 'stop'],
      [2, 'reply 3', 'stop'],
    ]);
    expect(engine.requests.map(({ seed }) => seed)).toEqual([2 ** 32 - 2, 2 ** 32 - 1, 0]);
    const [first] = engine.requests;
    expect(reply.usage?.completion_tokens).toBe(3 * 'reply 1'.length);
    expect(reply.usage?.prompt_tokens).toBe(3 * (first?.promptIds.length ?? 0));
    expect(engine.mostRunning).toBe(1);
    await until(() => context.queue.admitted === 0);
    const again = await client.chat.completions.create({ model, messages, n: 2 });
    expect(engine.requests.slice(3).map(({ seed }) => seed)).toEqual([undefined, undefined]);
    expect(again.choices).toHaveLength(2);
  });

  it("with the server's seed too", async () => {
    const { client, engine } = await clientOf(counting(), { turns: { sampling: { seed: 7 } } });
    await client.chat.completions.create({ model, messages, n: 2 });
    expect(engine.requests.map(({ seed }) => seed)).toEqual([7, 8]);
  });

  it('streamed: each chunk names its choice, each choice ends, the usage is of all', async () => {
    const { client } = await clientOf(counting());
    const stream = await client.chat.completions.create({
      model,
      messages,
      n: 3,
      stream: true,
      stream_options: { include_usage: true },
    });
    const texts = ['', '', ''];
    const ends: unknown[] = [];
    let tokens: number | undefined;
    for await (const { choices, usage } of stream) {
      for (const { index, delta, finish_reason: finish } of choices) {
        texts[index] += delta.content ?? '';
        if (finish !== null) ends.push([index, finish]);
      }
      tokens = usage?.completion_tokens;
    }
    expect(texts).toEqual(['reply 1', 'reply 2', 'reply 3']);
    expect(ends).toEqual([0, 1, 2].map(index => [index, 'stop']));
    expect(tokens).toBe(3 * 'reply 1'.length);
  });

  it('calls of tools belong to their choice', async () => {
    let count = 0;
    const { client } = await clientOf(() => {
      count += 1;
      return count % 2 === 1 ? callText('add', { a: count }) : 'No call.';
    });
    const parameters = { type: 'object', properties: { a: { type: 'number' } } };
    const tools = [{ type: 'function' as const, function: { name: 'add', parameters } }];
    const whole = await client.chat.completions.create({ model, messages, tools, n: 2 });
    const streamed = await client.chat.completions
      .stream({ model, messages, tools, n: 2 })
      .finalChatCompletion();
    for (const { choices } of [whole, streamed]) {
      expect(choices.map(({ finish_reason }) => finish_reason)).toEqual(['tool_calls', 'stop']);
      expect(choices[0]?.message.tool_calls).toHaveLength(1);
      expect(choices[1]?.message.tool_calls ?? []).toEqual([]);
    }
  });

  it('texts of a completion, for each of its prompts', async () => {
    const { client, engine } = await clientOf(counting());
    const sent = { model, prompt: ['a', 'b'], n: 2, best_of: 2, seed: 5, echo: true };
    const { choices } = await client.completions.create(sent);
    expect(choices.map(({ index, text }) => [index, text])).toEqual([
      [0, 'areply 1'],
      [1, 'areply 2'],
      [2, 'breply 3'],
      [3, 'breply 4'],
    ]);
    expect(engine.requests.map(({ seed }) => seed)).toEqual([5, 6, 5, 6]);
    const texts = ['', '', '', ''];
    for await (const chunk of await client.completions.create({ ...sent, stream: true }))
      for (const { index, text } of chunk.choices) texts[index] += text;
    expect(texts).toEqual(['areply 5', 'areply 6', 'breply 7', 'breply 8']);
  });

  it.each([
    ['/v1/chat/completions', { messages, n: 17 }, 'n'],
    ['/v1/chat/completions', { messages, n: 0 }, 'n'],
    ['/v1/chat/completions', { messages, n: '2' }, 'n'],
    ['/v1/completions', { prompt: 'x', n: 17 }, 'n'],
    ['/v1/completions', { prompt: 'x', n: 2, best_of: 3 }, 'best_of'],
    ['/v1/completions', { prompt: Array.from({ length: 65 }, String), n: 2 }, 'n'],
    ['/v1/responses', { input: 'x', n: 2 }, 'n'],
  ])('%s refuses %j', async (path, body, param) => {
    const { url, engine } = await serveScripted(() => 'ok');
    const response = await fetch(url + path, { method: 'POST', body: JSON.stringify(body) });
    expect([response.status, await response.json()]).toMatchObject([400, { error: { param } }]);
    expect(engine.requests).toEqual([]);
  });

  it('a client that leaves ends all of them', async () => {
    const { url, engine, context } = await serveScripted(endless);
    const stop = new AbortController();
    const response = await chat(url, ask('x', { n: 16, stream: true }), { signal: stop.signal });
    await response.body?.getReader().read();
    stop.abort();
    await until(() => context.queue.admitted === 0);
    expect(engine.requests).toHaveLength(1);
  });

  it('a failure of the second ends the request', async () => {
    let count = 0;
    const { url, engine } = await serveScripted(() => {
      count += 1;
      if (count === 2) throw new Error('broken');
      return 'fine';
    });
    expect((await chat(url, ask('x', { n: 3 }))).status).toBe(500);
    expect(engine.requests).toHaveLength(2);
    count = 0;
    const text = await (await chat(url, ask('x', { n: 3, stream: true }))).text();
    expect(text).toContain('"finish_reason":"stop"');
    expect(text).toContain('server_error');
    expect(text).not.toContain('[DONE]');
  });
});
