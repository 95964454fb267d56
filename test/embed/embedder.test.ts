import { expect, it } from 'vitest';
import { fakeEmbedder } from './fake-encoder.ts';

const rounded = (vector: Float32Array | undefined) =>
  Array.from(vector ?? [], x => Math.round(x * 1e4) / 1e4);

it('a vector of length 1 for each text, in order', async () => {
  const { embedder } = fakeEmbedder({ dimensions: 2 });
  const { vectors, tokens } = await embedder.embed(['ab', 'c', 'defg']);
  expect(vectors.map(rounded)).toEqual(Array(3).fill([0.6, 0.8]));
  expect(tokens).toBe(7);
  expect(await embedder.embed([])).toEqual({ vectors: [], tokens: 0 });
});

it('as the model gives them, and the first numbers only', async () => {
  const { embedder } = fakeEmbedder();
  const raw = await embedder.embed(['ab'], { normalize: false });
  expect(rounded(raw.vectors[0])).toEqual([6, 8, 97, 98]);
  const short = await embedder.embed(['ab'], { dimensions: 2 });
  expect(rounded(short.vectors[0])).toEqual([0.6, 0.8]);
  for (const dimensions of [0, 5, 1.5, Number.NaN])
    await expect(embedder.embed(['ab'], { dimensions })).rejects.toThrow(
      `org/fake gives vectors of 1 to 4 dimensions, not ${dimensions}`,
    );
});

it('a prompt before each text, by its name or by default', async () => {
  const prompts = { query: 'q:', document: '' };
  const { embedder, encoder } = fakeEmbedder({ prompts, defaultPrompt: 'query' });
  const read = async (options: object) => {
    await embedder.embed(['ab'], options);
    return String.fromCodePoint(...(encoder.requests.at(-1)?.[0]?.ids ?? []));
  };
  expect(await read({})).toBe('q:ab');
  expect(await read({ prompt: 'document' })).toBe('ab');
  await expect(embedder.embed(['ab'], { prompt: 'other' })).rejects.toThrow(
    "org/fake has no prompt 'other'; it has query, document",
  );
});

it('many texts go to the model in slices, two at a time, and stay in order', async () => {
  const { embedder, encoder } = fakeEmbedder({ ms: 1 });
  const texts = Array.from({ length: 1000 }, (_, i) => 'x'.repeat(1 + (i % 13)));
  const { vectors } = await embedder.embed(texts, { normalize: false });
  expect(vectors.map(vector => vector[0])).toEqual(texts.map(text => 3 * text.length));
  expect(encoder.requests).toHaveLength(8);
  expect(encoder.mostRunning).toBe(2);
});

it('other work goes on while very many texts are read', async () => {
  const { embedder } = fakeEmbedder();
  let turns = 0;
  const counting = setInterval(() => {
    turns += 1;
  }, 1);
  const { vectors } = await embedder.embed(Array<string>(25_000).fill('word'));
  clearInterval(counting);
  expect(vectors).toHaveLength(25_000);
  expect(turns).toBeGreaterThan(10);
});

it('a cancelled request, before and half-way', async () => {
  const { embedder, encoder } = fakeEmbedder({ ms: 5 });
  await expect(embedder.embed(['a'], { signal: AbortSignal.abort() })).rejects.toMatchObject({
    code: 'CANCELLED',
  });
  const stop = new AbortController();
  const asked = embedder.embed(Array<string>(5000).fill('a'), { signal: stop.signal });
  setTimeout(() => stop.abort(), 8);
  await expect(asked).rejects.toMatchObject({ code: 'CANCELLED' });
  expect(encoder.requests.length).toBeLessThan(10);
});

it('a text that cannot be read ends the request, and what is under way for it', async () => {
  const { embedder, encoder } = fakeEmbedder({ ms: 10_000 });
  const texts = [...Array<string>(128).fill('a'), 'x'.repeat(100)];
  await expect(embedder.embed(texts, { truncate: false })).rejects.toThrow(
    'input[128] has more than the 16 tokens',
  );
  expect(encoder.running).toBe(0);
});

it('documents by the cosine of their vectors, equal ones in their order', async () => {
  const { embedder } = fakeEmbedder({ prompts: { query: '', document: '' } });
  const documents = ['zz', 'ba', 'ab', 'ba'];
  const { ranked, tokens } = await embedder.rank('ab', documents);
  expect(ranked.map(({ index }) => index)).toEqual([2, 1, 3, 0]);
  expect(ranked[0]).toEqual({ index: 2, document: 'ab', score: expect.closeTo(1, 5) });
  expect(tokens).toBe(10);
  expect((await embedder.rank('ab', documents, { topK: 1 })).ranked).toHaveLength(1);
  expect((await embedder.rank('ab', [])).ranked).toEqual([]);
  await expect(embedder.rank('ab', documents, { topK: -1 })).rejects.toThrow('topK');
});

it('a reranker reads query and document together', async () => {
  const { embedder, encoder } = fakeEmbedder({ kind: 'classifier', dimensions: 1 });
  const { ranked } = await embedder.rank('ab', ['c', 'cde']);
  expect(ranked.map(({ index, score }) => [index, score > 0.9 && score <= 1])).toEqual([
    [1, true],
    [0, true],
  ]);
  expect(encoder.requests[0]?.map(({ ids }) => String.fromCodePoint(...ids))).toEqual(['[ab|c|', '[ab|cde|']);
  await expect(embedder.embed(['a'])).rejects.toThrow('scores pairs of texts and has no vectors');
  const other = fakeEmbedder({ kind: 'classifier', dimensions: 3 });
  await expect(other.embedder.rank('a', ['b'])).rejects.toThrow('has 3 labels; a reranker has one');
});
