import { embed, embedMany, rerank } from 'ai';
import { expect, it } from 'vitest';
import { loadModel, type Model } from '../../src/index.ts';
import { embeddingModel, languageModel, rerankingModel } from '../../src/library/ai-sdk/models.ts';
import { scriptedModel } from './fake-library-model.ts';

const folder = (name: string) => `test/fixtures/encoders/${name}`;
const NONE = new Float32Array();
/** Of vectors of length 1. */
const cosine = (a: Float32Array = NONE, b: Float32Array = NONE) =>
  a.reduce((sum, x, i) => sum + x * (b[i] as number), 0);

async function using<T>(name: string, use: (model: Model) => Promise<T>): Promise<T> {
  const model = await loadModel(folder(name));
  try {
    return await use(model);
  } finally {
    await model.close();
  }
}

it('embeds texts and ranks documents', async () => {
  await using('bert-mean', async model => {
    expect(model).toMatchObject({ name: 'bert-mean', dimensions: 32, contextLength: 48 });
    const [cat, same, other] = await model.embed(['a cat', 'A CAT', 'on the mat']);
    expect(Math.hypot(...(cat ?? []))).toBeCloseTo(1, 5);
    expect(cosine(cat, same)).toBeCloseTo(1, 5);
    expect(cosine(cat, other)).toBeLessThan(0.99);
    expect((await model.embed(['a cat'], { dimensions: 8 }))[0]).toHaveLength(8);
    const [asked] = await model.embed(['cat'], { prompt: 'query' });
    expect(cosine(asked, (await model.embed(['the word cat']))[0])).toBeCloseTo(1, 5);
    const ranked = await model.rank('a cat', ['rain tomorrow', 'the word a cat', 'mat'], { topK: 2 });
    expect(ranked).toHaveLength(2);
    // The prompt of queries goes before the query.
    expect(ranked[0]).toMatchObject({ index: 1, document: 'the word a cat', score: expect.closeTo(1, 4) });
    expect(model.countTokens('a cat')).toBe(model.tokenize('a cat').length);
    expect(model.detokenize(model.tokenize('a cat sits'))).toBe('a cat sits');
  });
});

it('a decoder embeds and ranks as an encoder does', async () => {
  await using('qwen3', async model => {
    expect(model).toMatchObject({ name: 'qwen3', dimensions: 32, contextLength: 96 });
    const [cat, same, other] = await model.embed(['a cat', 'a cat', 'rain']);
    expect(Math.hypot(...(cat ?? []))).toBeCloseTo(1, 5);
    expect(cosine(cat, same)).toBeCloseTo(1, 5);
    expect(cosine(cat, other)).toBeLessThan(0.99);
    const [short] = await model.embed(['a cat'], { dimensions: 8 });
    expect(short).toHaveLength(8);
    expect(Math.hypot(...(short ?? []))).toBeCloseTo(1, 5);
    const [asked] = await model.embed(['cat'], { prompt: 'query' });
    expect(cosine(asked, (await model.embed(['task: find | query: cat']))[0])).toBeCloseTo(1, 5);
    const ranked = await model.rank('a cat', ['rain', 'task: find | query: a cat'], { topK: 1 });
    expect(ranked[0]).toMatchObject({ index: 1, score: expect.closeTo(1, 4) });
    await expect(model.embed(['a'], { prompt: 'none' })).rejects.toThrow(
      "no prompt 'none'; it has query, document",
    );
    expect(() => model.chat()).toThrow('qwen3 turns texts into vectors and does not chat');
  });
});

it('matrices behind the pooling decide how long vectors are', async () => {
  await using('gemma3-one-kv', async model => {
    expect(model.dimensions).toBe(48);
    expect((await model.embed(['a cat']))[0]).toHaveLength(48);
  });
});

it('a context beyond what an encoder reads is its own', async () => {
  const model = await loadModel(folder('bert-mean'), { contextLength: 5000 });
  expect(model.contextLength).toBe(48);
  await model.close();
});

it('a model of the other kind says what it is', async () => {
  await using('bert-mean', async model => {
    const says = { code: 'USAGE', message: 'bert-mean turns texts into vectors and does not chat' };
    expect(() => model.chat()).toThrow(expect.objectContaining(says));
    expect(() => model.complete('a')).toThrow(expect.objectContaining(says));
    expect(() => languageModel(model)).toThrow(expect.objectContaining(says));
    expect(() => model.countTokens([{ role: 'user', content: 'a' }])).toThrow(expect.objectContaining(says));
  });
  const { model } = scriptedModel();
  const says = { code: 'USAGE', message: 'scripted is a chat model and makes no vectors of texts' };
  await expect(model.embed(['a'])).rejects.toMatchObject(says);
  await expect(model.rank('a', ['b'])).rejects.toMatchObject(says);
  expect(() => embeddingModel(model)).toThrow(expect.objectContaining(says));
  expect(model.dimensions).toBeUndefined();
});

it('a reranker ranks, and has no vectors', async () => {
  await using('bert-rerank', async model => {
    const ranked = await model.rank('What sits on the mat?', ['a', 'A cat sits on the mat.']);
    expect(ranked.map(({ index }) => index).sort()).toEqual([0, 1]);
    for (const { score } of ranked) expect(score > 0 && score < 1).toBe(true);
    await expect(model.embed(['a'])).rejects.toThrow('scores pairs of texts and has no vectors');
    expect(model.dimensions).toBeUndefined();
  });
});

it('cancelled, closed under way, used after', async () => {
  const model = await loadModel(folder('bert-mean'));
  const many = Array<string>(20_000).fill('the weather is lovely today and it will rain tomorrow');
  const stop = new AbortController();
  const cancelled = model.embed(many, { signal: stop.signal });
  setTimeout(() => stop.abort(), 20);
  await expect(cancelled).rejects.toMatchObject({ code: 'CANCELLED' });
  const closed = expect(model.embed(many)).rejects.toMatchObject({ code: 'CANCELLED' });
  await model.close();
  await closed;
  await expect(model.embed(['a'])).rejects.toThrow('The model bert-mean is closed');
  await model.close();
});

it('the AI SDK: embed, embedMany, rerank', async () => {
  await using('bert-mean', async model => {
    const one = await embed({ model: embeddingModel(model), value: 'a cat' });
    const two = await embedMany({ model: embeddingModel(model), values: ['a cat', 'the mat'] });
    expect(two.embeddings[0]).toEqual(one.embedding);
    expect(one.usage.tokens).toBe(model.countTokens('a cat') + 2);
    const documents = ['rain', 'the word a cat'];
    const { ranking } = await rerank({ model: rerankingModel(model), query: 'a cat', documents });
    expect(ranking[0]).toMatchObject({ originalIndex: 1, document: 'the word a cat' });
    const aborted = embed({ model: embeddingModel(model), value: 'a', abortSignal: AbortSignal.abort() });
    await expect(aborted).rejects.toThrow();
  });
});
