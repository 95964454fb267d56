import { describe, expect, it } from 'vitest';
import { serveScripted, tokenizer } from './scripted.ts';

/** One with a BOS, and with a token that is a part of a character. */
const withBos = {
  ...tokenizer,
  bosToken: '^',
  idOf: (token: string) => token.codePointAt(0),
  bytesOf: (id: number) =>
    id === 200 ? Uint8Array.of(0xc3) : new TextEncoder().encode(String.fromCodePoint(id)),
};

async function serve(options: Parameters<typeof serveScripted>[1] = {}) {
  const { url, engine } = await serveScripted(() => 'ok', options);
  return async (path: string, body: unknown) => {
    const response = await fetch(url + path, { method: 'POST', body: JSON.stringify(body) });
    expect(engine.requests).toEqual([]);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
}

describe.each(['', '/v1'])('%s/tokenize and detokenize', version => {
  it('a text there and back', async () => {
    const send = await serve();
    const text = 'Grüße, 𝒳!';
    const { status, body } = await send(`${version}/tokenize`, { content: text });
    expect(status).toBe(200);
    expect(body).toEqual({ tokens: tokenizer.encode(text), count: 9, max_model_len: 20_000 });
    const back = await send(`${version}/detokenize`, { tokens: body.tokens });
    expect(back).toEqual({ status: 200, body: { content: text, prompt: text } });
    expect((await send(`${version}/tokenize`, { content: '' })).body).toMatchObject({ tokens: [], count: 0 });
    expect((await send(`${version}/detokenize`, { tokens: [] })).body.content).toBe('');
  });
});

it('BOS as the server has it whose field is used, or as asked', async () => {
  const send = await serve({ tokenizer: withBos });
  const tokens = async (body: object) => (await send('/tokenize', body)).body.tokens;
  expect(await tokens({ content: 'a' })).toEqual([97]);
  expect(await tokens({ prompt: 'a', model: 'scripted' })).toEqual([94, 97]);
  expect(await tokens({ content: 'a', add_special: true })).toEqual([94, 97]);
  expect(await tokens({ prompt: 'a', add_special_tokens: false })).toEqual([97]);
  expect(await tokens({ content: 'aÈ', with_pieces: true })).toEqual([
    { id: 97, piece: 'a' },
    { id: 200, piece: [0xc3] },
  ]);
  const strings = await send('/tokenize', { prompt: 'ab', return_token_strs: true });
  expect(strings.body.token_strs).toEqual(['^', 'a', 'b']);
  const part = await send('/tokenize', { content: 'aÈ', return_token_strs: true });
  expect(part.body.token_strs).toEqual(['a', '\ufffd']);
});

it('no BOS with a model whose tokenizer adds none', async () => {
  const send = await serve({ tokenizer: { ...withBos, addsBos: false } });
  expect((await send('/tokenize', { prompt: 'a' })).body.tokens).toEqual([97]);
  expect((await send('/tokenize', { content: 'a', add_special: true })).body.tokens).toEqual([97]);
});

it.each([
  ['/tokenize', {}, 400, 'content'],
  ['/tokenize', { content: 5 }, 400, 'content'],
  ['/tokenize', { content: 'x'.repeat(1_000_001) }, 400, 'characters'],
  ['/tokenize', { messages: [] }, 400, 'content'],
  ['/tokenize', { content: 'x', model: 'other' }, 404, 'other'],
  ['/tokenize', { content: 'x', add_special: 'yes' }, 400, 'add_special'],
  ['/detokenize', {}, 400, 'tokens'],
  ['/detokenize', { tokens: 'x' }, 400, 'tokens'],
  ['/detokenize', { tokens: [-1] }, 400, '-1'],
  ['/detokenize', { tokens: [0x110000] }, 400, '1114112'],
  ['/detokenize', { tokens: [1.5] }, 400, '1.5'],
  ['/detokenize', { tokens: ['1'] }, 400, '1'],
  ['/detokenize', { tokens: [null] }, 400, 'null'],
  ['/detokenize', { tokens: Array.from({ length: 250_001 }, () => 1) }, 400, '250000'],
])('%s refuses %o', async (path, body, status, words) => {
  const send = await serve();
  expect(await send(path, body)).toMatchObject({
    status,
    body: { error: { message: expect.stringContaining(words) } },
  });
});

it('a model that runs elsewhere has no tokenizer here', async () => {
  const send = await serve({ tokenizer: undefined });
  expect((await send('/tokenize', { content: 'x' })).status).toBe(501);
});
