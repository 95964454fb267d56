import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { KeptResponses, LruBySize } from '../../../src/serve/openai/kept-responses.ts';
import { answer, FakeHost } from '../../agent/fakes.ts';
import { endless } from '../asking.ts';
import { callText, question, type Script, type ServeOptions, serveScripted, until } from '../scripted.ts';

const model = 'org/scripted';

async function clientOf(script: Script, options?: ServeOptions, apiKey = 'none') {
  const server = await serveScripted(script, options);
  const client = (key: string) => new OpenAI({ baseURL: `${server.url}/v1`, apiKey: key, maxRetries: 0 });
  return { ...server, client, responses: client(apiKey).responses };
}

const promptOf = (engine: { requests: readonly { promptIds: ArrayLike<number> }[] }) =>
  String.fromCodePoint(...Array.from(engine.requests.at(-1)?.promptIds ?? []));

describe('kept responses', () => {
  it('a conversation goes on from its last response, whole or streamed, with the prompt from the cache', async () => {
    const { responses, engine } = await clientOf(prompt => `You said: ${question(prompt)}`);
    const first = await responses.create({ model, input: 'one' });
    expect(first).toMatchObject({ store: true });
    const second = await responses.create({ model, input: 'two', previous_response_id: first.id });
    expect(second.previous_response_id).toBe(first.id);
    expect(second.usage?.input_tokens_details.cached_tokens).toBe(first.usage?.total_tokens);
    const stream = responses.stream({ model, input: 'three', previous_response_id: second.id });
    const third = await stream.finalResponse();
    const prompt = promptOf(engine);
    const said = ['one', 'You said: one', 'two', 'You said: two', 'three'].map(text => prompt.indexOf(text));
    expect(said.every((at, index) => at > (said[index - 1] ?? 0))).toBe(true);
    // From the middle too, any number of times.
    const branches = [1, 2].map(() =>
      responses.create({ model, input: 'else', previous_response_id: first.id }),
    );
    for (const branch of await Promise.all(branches)) expect(branch.output_text).toBe('You said: else');
    expect(promptOf(engine)).not.toContain('two');
    const fourth = await responses.create({ model, input: 'four', previous_response_id: third.id });
    expect(fourth.output_text).toBe('You said: four');
    expect(promptOf(engine)).toContain('You said: three');
  });

  it('instructions are those of the request alone', async () => {
    const { responses, engine } = await clientOf(() => 'ok');
    const first = await responses.create({ model, instructions: 'Be kind.', input: 'x' });
    await responses.create({ model, input: 'y', previous_response_id: first.id });
    expect(promptOf(engine)).not.toContain('Be kind.');
  });

  it('calls are answered by the next request', async () => {
    const tools = new FakeHost({ look_up: answer('blue') });
    const { responses, engine } = await clientOf(
      prompt =>
        prompt.includes('it is 3') ? 'So 3.' : callText('look_up', {}) + callText('add', { a: 1, b: 2 }),
      { turns: { tools }, toolsPolicy: 'all' },
    );
    const add = {
      type: 'function' as const,
      name: 'add',
      strict: false,
      parameters: { type: 'object', properties: {} },
    };
    const first = await responses.create({ model, input: 'Both', tools: [add] });
    const [call] = first.output as OpenAI.Responses.ResponseFunctionToolCall[];
    const next = await responses.create({
      model,
      tools: [add],
      previous_response_id: first.id,
      input: [{ type: 'function_call_output', call_id: call?.call_id ?? '', output: 'it is 3' }],
    });
    expect(next.output_text).toBe('So 3.');
    // What the client never saw is there again.
    expect(promptOf(engine)).toContain('blue');
    const wrong = responses.create({
      model,
      previous_response_id: next.id,
      input: [{ type: 'function_call_output', call_id: 'nowhere', output: 'x' }],
    });
    await expect(wrong).rejects.toMatchObject({ status: 400, param: 'input[0].call_id' });
  });

  it('is read and deleted by its id; with store: false there is none', async () => {
    const { responses, url } = await clientOf(() => 'ok');
    const kept = await responses.create({ model, input: 'x', metadata: { a: 'b' } });
    expect(await responses.retrieve(kept.id)).toMatchObject({
      id: kept.id,
      output_text: 'ok',
      metadata: { a: 'b' },
    });
    const path = `${url}/v1/responses/${kept.id}`;
    expect((await fetch(`${path}?stream=true`)).status).toBe(400);
    const unversioned = await fetch(path.replace('/v1', ''), { method: 'DELETE' });
    expect(await unversioned.json()).toEqual({ id: kept.id, object: 'response', deleted: true });
    await expect(responses.retrieve(kept.id)).rejects.toThrow(OpenAI.NotFoundError);
    await expect(responses.delete(kept.id)).rejects.toThrow(OpenAI.NotFoundError);
    const after = responses.create({ model, input: 'x', previous_response_id: kept.id });
    await expect(after).rejects.toMatchObject({ status: 400, code: 'previous_response_not_found' });
    const not = await responses.create({ model, input: 'x', store: false });
    expect(not).toMatchObject({ store: false });
    await expect(responses.retrieve(not.id)).rejects.toThrow(OpenAI.NotFoundError);
  });

  it('one that failed or was given up is not kept', async () => {
    const { responses, engine, url, records } = await clientOf(prompt => {
      if (question(prompt) === 'fail') throw new Error('broken');
      return endless();
    });
    await expect(responses.create({ model, input: 'fail' })).rejects.toMatchObject({ status: 500 });
    const stream = await responses.create({ model, input: 'on', stream: true });
    let id = '';
    for await (const event of stream) {
      if (event.type === 'response.created') id = event.response.id;
      if (event.type === 'response.output_text.delta') break;
    }
    stream.controller.abort();
    await until(() => engine.running === 0 && records.length === 2);
    expect((await fetch(`${url}/v1/responses/${id}`)).status).toBe(404);
  });

  it("another key's is as unknown as one that never was", async () => {
    const keys = ['alice', 'bob'].map(name => ({ name, key: `key-of-${name}` }));
    const { client } = await clientOf(() => 'ok', {
      access: { host: '127.0.0.1', allowedHosts: [], corsOrigins: [], keys, apiKey: 'plain' },
    });
    const [alice, bob, plain] = ['key-of-alice', 'key-of-bob', 'plain'].map(key => client(key).responses) as [
      OpenAI.Responses,
      OpenAI.Responses,
      OpenAI.Responses,
    ];
    const { id } = await alice.create({ model, input: 'a secret' });
    for (const other of [bob, plain]) {
      await expect(other.retrieve(id)).rejects.toThrow(OpenAI.NotFoundError);
      await expect(other.delete(id)).rejects.toThrow(OpenAI.NotFoundError);
      await expect(other.create({ model, input: 'x', previous_response_id: id })).rejects.toMatchObject({
        status: 400,
      });
    }
    expect(await alice.retrieve(id)).toMatchObject({ id });
  });

  it.each([
    { store: 'yes' },
    { previous_response_id: 5 },
    { previous_response_id: '__proto__' },
    { conversation: 'c' },
    { prompt: { id: 'p' } },
  ])('refuses %j', async fields => {
    const { url } = await clientOf(() => 'ok');
    const body = JSON.stringify({ input: 'x', ...fields });
    const response = await fetch(`${url}/v1/responses`, { method: 'POST', body });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { param: Object.keys(fields)[0] } },
    ]);
  });
});

describe('limits', () => {
  it('the oldest goes first, by number, size and age', () => {
    let now = 0;
    const kept = new LruBySize<string>({ maxCount: 3, maxChars: 10, maxAgeMs: 100 }, () => now);
    for (const id of ['a', 'b', 'c', 'd']) kept.add(id, id, 1);
    expect([kept.get('a'), kept.get('b'), kept.size]).toEqual([undefined, 'b', 3]);
    kept.add('e', 'e', 9);
    expect([kept.get('c'), kept.get('d'), kept.get('e'), kept.size]).toEqual([undefined, 'd', 'e', 2]);
    kept.add('f', 'too large', 11);
    expect([kept.get('f'), kept.size]).toEqual([undefined, 2]);
    now = 50;
    kept.add('e', 'again', 1);
    kept.add('e', 'again', 1);
    expect(kept.size).toBe(2);
    now = 101;
    expect([kept.get('d'), kept.get('e'), kept.size]).toEqual([undefined, 'again', 1]);
    expect([kept.delete('e'), kept.delete('e')]).toEqual([true, false]);
    for (let index = 0; index < 50; index += 1) kept.add(`${index}`, 'x', 5);
    expect(kept.size).toBe(2);
  });

  it('a conversation counts with all that came before it', () => {
    const limits = { maxCount: 1000, maxChars: 20_000, maxAgeMs: 1e9 };
    const kept = new KeptResponses(limits);
    const item = { type: 'message', role: 'user', content: 'x'.repeat(1000) };
    let previous: ReturnType<KeptResponses['previous']>;
    for (let index = 0; index < 30; index += 1) {
      kept.add('', { id: `r${index}`, output: [] }, [item], previous);
      previous = kept.get('', `r${index}`);
      if (previous === undefined) break;
      expect(previous.items).toHaveLength(index + 1);
    }
    // It has outgrown the limit, and with it everything else is gone but what still fits.
    expect(previous).toBeUndefined();
  });
});
