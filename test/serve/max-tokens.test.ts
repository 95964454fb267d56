import { describe, expect, it } from 'vitest';
import { answer, FakeHost } from '../agent/fakes.ts';
import { manyWords } from '../fixtures/many-words.ts';
import { ask, chat } from './asking.ts';
import { callText, serveScripted } from './scripted.ts';

const ADD = { type: 'function', function: { name: 'add', parameters: { type: 'object', properties: {} } } };
const NEVER_CLOSED = `<tool_call>\n{"name": "add", "arguments": {"a": "${'x'.repeat(1000)}`;

interface Completion {
  readonly choices: readonly [{ finish_reason: string; message: { content: string | null } }];
  readonly usage: { completion_tokens: number };
}

describe('max_tokens is the budget of the whole request', () => {
  it('attempts at a call that is never finished', async () => {
    const { url, engine } = await serveScripted(() => NEVER_CLOSED);
    const response = await chat(url, ask('?', { tools: [ADD], max_tokens: 150 }));
    const { choices, usage } = (await response.json()) as Completion;
    expect([engine.steps, usage.completion_tokens, choices[0].finish_reason]).toEqual([150, 150, 'length']);
  });

  it('the same when a call is required', async () => {
    const { url, engine } = await serveScripted(() => NEVER_CLOSED);
    const body = ask('?', { tools: [ADD], tool_choice: 'required', max_tokens: 150 });
    const { choices } = (await (await chat(url, body)).json()) as Completion;
    expect([engine.steps, choices[0].finish_reason]).toEqual([150, 'length']);
  });

  it('rounds of our tools', async () => {
    const call = callText('look_up', {});
    const { url, engine } = await serveScripted(
      prompt => (prompt.includes('blue') ? 'x'.repeat(1000) : `First. ${call}`),
      { turns: { tools: new FakeHost({ look_up: answer('blue') }) } },
    );
    const said = `First. ${call}`.length;
    const body = ask('?', { max_tokens: said + 10 });
    const { choices, usage } = (await (await chat(url, body)).json()) as Completion;
    expect([engine.steps, usage.completion_tokens]).toEqual([said + 10, said + 10]);
    expect(choices).toMatchObject([
      { finish_reason: 'length', message: { content: `First.\n${'x'.repeat(10)}` } },
    ]);
  });

  it('repairs of an answer that is not the JSON that was asked for', async () => {
    const { url, engine } = await serveScripted(() => 'no JSON.');
    const body = ask('?', { response_format: { type: 'json_object' }, max_tokens: 20 });
    const { choices } = (await (await chat(url, body)).json()) as Completion;
    expect([engine.steps, choices[0].finish_reason]).toEqual([20, 'length']);
  });

  it("the server's own limit, Ollama's and the one of responses", async () => {
    const { url, engine } = await serveScripted(() => NEVER_CLOSED, {
      turns: { sampling: { maxTokens: 30 } },
    });
    const post = (path: string, body: object) =>
      fetch(url + path, { method: 'POST', body: JSON.stringify({ ...body, tools: [ADD], stream: false }) });
    const steps = async (response: Promise<Response>) => {
      const before = engine.steps;
      expect((await response).status).toBe(200);
      return engine.steps - before;
    };
    expect(await steps(post('/v1/chat/completions', ask('?')))).toBe(30);
    const limited = { ...ask('?'), model: 'scripted', options: { num_predict: 50 } };
    expect(await steps(post('/api/chat', limited))).toBe(50);
    const tools = [{ type: 'function', ...ADD.function }];
    const asked = fetch(`${url}/v1/responses`, {
      method: 'POST',
      body: JSON.stringify({ input: '?', tools, max_output_tokens: 70 }),
    });
    expect(await steps(asked)).toBe(70);
  });

  it('leaves a later request its own', async () => {
    const { url, engine } = await serveScripted(() => NEVER_CLOSED);
    for (const times of [1, 2]) {
      await chat(url, ask('?', { tools: [ADD], max_tokens: 40 }));
      expect(engine.steps).toBe(40 * times);
    }
  });
});

describe('num_predict', () => {
  it.each([
    [-1, 5000],
    [-2, 5000],
    [0, 5000],
    [undefined, 100],
    [30, 30],
  ])('%j under a limit of 100 of the server: %i tokens', async (limit, expected) => {
    const { url, engine } = await serveScripted(() => manyWords(2000).slice(0, 5000), {
      turns: { sampling: { maxTokens: 100 } },
    });
    const options = limit === undefined ? {} : { num_predict: limit };
    const body = { ...ask('?'), model: 'scripted', stream: false, options };
    await (await fetch(`${url}/api/chat`, { method: 'POST', body: JSON.stringify(body) })).text();
    expect(engine.steps).toBe(expected);
  });
});

describe('a reply that repeats itself without end', () => {
  it.each([
    ['/v1/chat/completions', ask('?'), '"finish_reason":"length"'],
    ['/v1/completions', { prompt: 'x' }, '"finish_reason":"length"'],
    ['/v1/responses', { input: 'x' }, '"reason":"max_output_tokens"'],
    ['/api/chat', { messages: [{ role: 'user', content: 'x' }], stream: false }, '"done_reason":"length"'],
    ['/api/generate', { prompt: 'x', stream: false }, '"done_reason":"length"'],
  ])('%s: it is cut as one that is too long', async (path, body, reason) => {
    const { url, engine } = await serveScripted(() => 'la '.repeat(1000));
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'scripted', ...body }),
    });
    expect(await response.text()).toContain(reason);
    expect(engine.steps).toBeLessThanOrEqual(201);
  });
});

describe('a stream and a whole reply say the same', () => {
  const call = callText('look_up', {});
  const broken = '<tool_call>\n{"name": "add", "arguments": {"a": ';
  it.each([
    ['the budget ends in a call that is never finished', () => `Let me see. ${NEVER_CLOSED}`, 60],
    [
      'it ends in the round after a broken call',
      (p: string) => (p.includes('not') ? 'y'.repeat(500) : `So. ${broken}}}}</tool_call>`),
      80,
    ],
    ['it ends in the words before a call', () => `${manyWords(50)} ${call}`, 40],
    [
      'it ends in a round of our tools',
      (p: string) => (p.includes('blue') ? 'z'.repeat(500) : `First. ${call}`),
      `First. ${call}`.length + 5,
    ],
    ['every attempt at a call is broken', () => `Once more. ${broken}}}}</tool_call>`, 5000],
    [
      'a broken call, then a good one',
      (p: string) => {
        if (p.includes('blue')) return 'It is blue.';
        return p.includes('not') ? `Again. ${call}` : `Well. ${broken}}}}</tool_call>`;
      },
      5000,
    ],
  ])('%s', async (_, script, limit) => {
    const { url } = await serveScripted(script, {
      turns: { tools: new FakeHost({ look_up: answer('blue'), add: answer('3') }) },
    });
    const whole = (await (await chat(url, ask('?', { max_tokens: limit }))).json()) as Completion;
    const streamed = await (await chat(url, ask('?', { max_tokens: limit, stream: true }))).text();
    const pieces = [...streamed.matchAll(/^data: (\{.*)$/gm)].map(([, json = '']) => JSON.parse(json));
    const text = pieces.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
    expect(text.trim()).not.toBe('');
    // White space before a line break apart, which a stream has sent before it knows what follows.
    expect(whole.choices[0].message.content).toBe(text.trim().replaceAll(/ +\n/g, '\n'));
    const ended = pieces.flatMap(({ choices }) => choices[0]?.finish_reason ?? []);
    expect(ended).toEqual([whole.choices[0].finish_reason]);
  });
});
