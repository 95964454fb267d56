import { Ollama } from 'ollama';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { fakeEmbedder } from '../embed/fake-encoder.ts';
import { scriptedModel, serveScripted, until } from './scripted.ts';

/** A chat model, and beside it an embedding model and a reranker. */
async function serve(options: Parameters<typeof fakeEmbedder>[0] & Parameters<typeof serveScripted>[1] = {}) {
  const embedding = fakeEmbedder(options);
  const reranker = fakeEmbedder({ kind: 'classifier', dimensions: 1 });
  const others = {
    list: () => [{ id: 'org/embed' }, { id: 'org/rerank' }],
    open: async (id: string) => {
      const { embedder } = id === 'org/embed' ? embedding : reranker;
      const { loaded } = scriptedModel(id, () => 'never said');
      return { ...loaded, embedder, close: () => embedder.close() };
    },
  };
  const { limits, places, access } = options;
  const server = await serveScripted(() => 'I chat.', {
    others,
    ...(limits && { limits }),
    ...(places !== undefined && { places }),
    ...(access && { access }),
  });
  const post = async (path: string, body: unknown, init: RequestInit = {}) => {
    const response = await fetch(server.url + path, { method: 'POST', body: JSON.stringify(body), ...init });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  return { ...server, ...embedding, post };
}

const model = 'org/embed';
const near = (numbers: readonly number[]) => numbers.map(number => expect.closeTo(number, 4));
const length = (vector: readonly number[] | undefined) => Math.hypot(...(vector ?? []));

describe('/v1/embeddings', () => {
  it('the official openai client: numbers and base64 are the same', async () => {
    const { url } = await serve();
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0 });
    const input = ['ab', 'cde'];
    // The client asks for base64 unless it is told otherwise, and decodes it.
    const packed = await client.embeddings.create({ model, input });
    const plain = await client.embeddings.create({ model, input, encoding_format: 'float' });
    expect(packed).toEqual(plain);
    expect(plain).toMatchObject({ object: 'list', model, usage: { prompt_tokens: 5, total_tokens: 5 } });
    expect(plain.data.map(({ index, object }) => [index, object])).toEqual([
      [0, 'embedding'],
      [1, 'embedding'],
    ]);
    for (const { embedding } of plain.data) expect(length(embedding)).toBeCloseTo(1, 5);
    const short = await client.embeddings.create({ model, input: 'ab', dimensions: 2, user: 'me' });
    expect(short.data[0]?.embedding).toEqual(near([0.6, 0.8]));
  });

  it('a text, its tokens, and lists of either', async () => {
    const { post } = await serve();
    const vectors = async (input: unknown) =>
      ((await post('/v1/embeddings', { model, input })).body.data as { embedding: number[] }[]).map(
        ({ embedding }) => embedding,
      );
    const [ab] = await vectors('ab');
    expect(await vectors([97, 98])).toEqual([ab]);
    expect(await vectors([[97, 98], [97]])).toEqual([ab, ...(await vectors('a'))]);
    expect((await post('/embeddings', { model, input: 'ab' })).status).toBe(200);
  });

  it('refuses what cannot be', async () => {
    const { post } = await serve();
    const rows: readonly (readonly [object, number, string])[] = [
      [{ input: [] }, 400, 'input: give at least one text'],
      [{ input: [[]] }, 400, 'input'],
      [{}, 400, 'input'],
      [{ input: 5 }, 400, 'must be a text, its tokens, or a list of either'],
      [{ input: ['a', 5] }, 400, 'input'],
      [{ input: [-1] }, 400, 'input'],
      [{ input: [0x110000] }, 400, 'the model has no token'],
      [{ input: Array(2049).fill('a') }, 400, '2049 texts; a request may have 2048'],
      [{ input: 'a', dimensions: 5 }, 400, '1 to 4 dimensions'],
      [{ input: 'a', dimensions: 0 }, 400, 'dimensions'],
      [{ input: 'a', encoding_format: 'int8' }, 400, 'encoding_format'],
      [{ input: 'a', model: 'org/none' }, 404, 'does not exist'],
      [{ input: 'a', model: 'org/scripted' }, 400, "'org/scripted' is a chat model and makes no vectors"],
      [{ input: 'a', model: undefined }, 400, 'is a chat model'],
      [{ input: 'a', model: 'org/rerank' }, 400, 'scores pairs of texts'],
    ];
    for (const [body, status, message] of rows) {
      const refused = await post('/v1/embeddings', { model, ...body });
      const error = { message: expect.stringContaining(message) };
      expect([body, refused]).toMatchObject([body, { status, body: { error } }]);
    }
  });

  it('a text that is too long is refused, or cut if that is asked for', async () => {
    const { post } = await serve();
    const input = ['ab', 'x'.repeat(17)];
    const refused = await post('/v1/embeddings', { model, input });
    expect(refused).toMatchObject({ status: 400, body: { error: { code: 'context_length_exceeded' } } });
    expect(refused.body.error).toMatchObject({ message: expect.stringContaining('input[1]') });
    const cut = await post('/v1/embeddings', { model, input, truncate: true });
    expect(cut).toMatchObject({ status: 200, body: { usage: { prompt_tokens: 18 } } });
  });

  it("a text after one of the model's prompts", async () => {
    const { post, encoder } = await serve({ prompts: { query: 'q:' } });
    await post('/v1/embeddings', { model, input: ['ab'], prompt_name: 'query' });
    expect(encoder.requests.at(-1)?.[0]?.ids).toEqual([113, 58, 97, 98]);
    const refused = await post('/v1/embeddings', { model, input: 'ab', prompt_name: 'passage' });
    const message = expect.stringContaining("has no prompt 'passage'; it has query");
    expect(refused).toMatchObject({ status: 400, body: { error: { message } } });
  });

  it('as many texts as a request may have', async () => {
    const { post } = await serve();
    const { body } = await post('/v1/embeddings', { model, input: Array(2048).fill('ab') });
    expect((body.data as object[]).length).toBe(2048);
  });

  it('a chat model is not disturbed, and an embedding model does not chat', async () => {
    const { post } = await serve();
    const messages = [{ role: 'user', content: 'Hi' }];
    for (const [path, body] of [
      ['/v1/chat/completions', { messages }],
      ['/v1/completions', { prompt: 'x' }],
      ['/v1/responses', { input: 'x' }],
      ['/v1/messages', { messages, max_tokens: 5 }],
      ['/v1/messages/count_tokens', { messages }],
      ['/api/chat', { messages, stream: false }],
      ['/api/generate', { prompt: 'x', stream: false }],
    ] as const) {
      const refused = await post(path, { ...body, model });
      expect([path, refused.status]).toEqual([path, 400]);
      expect(JSON.stringify(refused.body)).toContain('makes vectors of texts and does not chat');
    }
    expect((await post('/v1/chat/completions', { messages })).body).toMatchObject({
      choices: [{ message: { content: 'I chat.' } }],
    });
    expect((await post('/v1/tokenize', { model, content: 'ab' })).body.tokens).toEqual([97, 98]);
  });
});

describe('limits', () => {
  it('the client leaves, the time is over, the server stops', async () => {
    const gone = await serve({ ms: 60_000 });
    const leave = new AbortController();
    const left = gone.post('/v1/embeddings', { model, input: 'a' }, { signal: leave.signal });
    await until(() => gone.encoder.running === 1);
    leave.abort();
    await expect(left).rejects.toThrow();
    await until(() => gone.encoder.running === 0);
    const slow = await serve({ ms: 60_000, limits: { requestMs: 50 } });
    expect(await slow.post('/v1/embeddings', { model, input: 'a' })).toMatchObject({
      status: 504,
      body: { error: { code: 'timeout' } },
    });
    expect(slow.context.queue.admitted).toBe(0);
  });

  it('every place is taken', async () => {
    const { post, encoder } = await serve({ ms: 100, places: 1 });
    const first = post('/v1/embeddings', { model, input: 'a' });
    await until(() => encoder.running === 1);
    expect(await post('/v1/embeddings', { model, input: 'a' })).toMatchObject({ status: 429 });
    expect((await first).status).toBe(200);
  });

  it('tokens count for a key, and in the metrics', async () => {
    const keys = [{ name: 'me', key: 'secret', tokensPerMinute: 5 }];
    const access = { host: '127.0.0.1', allowedHosts: [], corsOrigins: [], keys };
    const { post, url } = await serve({ access });
    const headers = { authorization: 'Bearer secret' };
    const input = ['abc', 'def'];
    expect((await post('/v1/embeddings', { model, input }, { headers })).status).toBe(200);
    expect((await post('/v1/embeddings', { model, input }, { headers })).status).toBe(429);
    const metrics = await (await fetch(`${url}/metrics`, { headers })).text();
    expect(metrics).toContain('llm_host_embedded_texts_total 2\n');
    expect(metrics).toContain('llm_host_embedded_tokens_total 6\n');
  });
});

describe('/v1/rerank', () => {
  const query = 'ab';
  const documents = ['zz', { text: 'ab' }, 'ba'];

  it.each(['/v1/rerank', '/rerank', '/v2/rerank'])('%s: the best first', async path => {
    const { post } = await serve();
    const { status, body } = await post(path, { model, query, documents });
    expect(status).toBe(200);
    expect(body).toMatchObject({ object: 'list', model, usage: { prompt_tokens: 8, total_tokens: 8 } });
    expect(body.results).toEqual([
      { index: 1, relevance_score: expect.closeTo(1, 4) },
      { index: 2, relevance_score: expect.any(Number) },
      { index: 0, relevance_score: expect.any(Number) },
    ]);
  });

  it('the best only, with the documents; and by a reranker', async () => {
    const { post } = await serve();
    const best = await post('/v1/rerank', { model, query, documents, top_n: 1, return_documents: true });
    expect(best.body.results).toMatchObject([{ index: 1, document: { text: 'ab' } }]);
    const ranked = await post('/v1/rerank', { model: 'org/rerank', query, documents: ['c', 'cde'] });
    expect(ranked.body.results).toMatchObject([{ index: 1 }, { index: 0 }]);
  });

  it('refuses what cannot be', async () => {
    const { post } = await serve();
    const rows: readonly (readonly [object, number, string])[] = [
      [{ documents: [] }, 400, 'give at least one text'],
      [{ documents: 'ab' }, 400, 'documents'],
      [{ documents: [{ body: 'x' }] }, 400, 'documents'],
      [{ query: 5 }, 400, 'query'],
      [{ top_n: 0 }, 400, 'top_n'],
      [{ model: 'org/scripted' }, 400, 'is a chat model'],
    ];
    for (const [body, status, message] of rows) {
      const refused = await post('/v1/rerank', { model, query, documents, ...body });
      const error = { message: expect.stringContaining(message) };
      expect([body, refused]).toMatchObject([body, { status, body: { error } }]);
    }
  });
});

describe('the official ollama client', () => {
  it('embeds one text or several, and has the older call', async () => {
    const { url } = await serve();
    const ollama = new Ollama({ host: url });
    const one = await ollama.embed({ model, input: 'ab' });
    expect(one).toMatchObject({ model, prompt_eval_count: 2, total_duration: expect.any(Number) });
    const two = await ollama.embed({ model, input: ['ab', 'c'], keep_alive: '1m' });
    expect(two.embeddings).toEqual([one.embeddings[0], expect.any(Array)]);
    expect((await ollama.embed({ model, input: 'ab', dimensions: 2 })).embeddings).toEqual([
      near([0.6, 0.8]),
    ]);
    const older = await ollama.embeddings({ model, prompt: 'ab' });
    expect(older.embedding).toEqual([6, 8, 97, 98]);
    expect((await ollama.embed({ model, input: '' })).embeddings).toEqual([]);
    expect((await ollama.embeddings({ model, prompt: '' })).embedding).toEqual([]);
    expect((await ollama.show({ model })).capabilities).toEqual(['embedding']);
  });

  it('cuts long texts unless it is told not to', async () => {
    const { url } = await serve();
    const ollama = new Ollama({ host: url });
    const input = 'x'.repeat(17);
    expect((await ollama.embed({ model, input })).prompt_eval_count).toBe(16);
    await expect(ollama.embed({ model, input, truncate: false })).rejects.toThrow(
      'input[0] has more than the 16',
    );
    await expect(ollama.embed({ model: 'none', input })).rejects.toThrow("model 'none' not found");
    await expect(ollama.embed({ model: 'org/scripted', input })).rejects.toThrow('is a chat model');
  });
});
