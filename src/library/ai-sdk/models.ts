import type { EmbeddingModelV3, RerankingModelV3 } from '@ai-sdk/provider';
import { embedderOf, type Model } from '../model.ts';

export { languageModel } from './language-model.ts';

/** Texts in a call of the SDK, which makes several where there are more. */
const MAX_TEXTS = 2048;

/**
 * A loaded embedding model for the Vercel AI SDK: `embedMany({ model: embeddingModel(model), values })`. It is still the
 * program's to close. Failures are LlmHostError, which the SDK does not try again.
 * @throws LlmHostError USAGE: a chat model
 */
export function embeddingModel(model: Model): EmbeddingModelV3 {
  embedderOf(model);
  return {
    specificationVersion: 'v3',
    provider: 'llm-host',
    modelId: model.name,
    maxEmbeddingsPerCall: MAX_TEXTS,
    supportsParallelCalls: true,
    doEmbed: async ({ values, abortSignal }) => {
      const { vectors, tokens } = await embedderOf(model).embed(values, { signal: abortSignal });
      return { embeddings: vectors.map(vector => Array.from(vector)), usage: { tokens }, warnings: [] };
    },
  };
}

/**
 * A loaded reranker or embedding model for the Vercel AI SDK: `rerank({ model: rerankingModel(model), query, documents })`.
 * Objects are ranked by their JSON. @throws LlmHostError USAGE: a chat model
 */
export function rerankingModel(model: Model): RerankingModelV3 {
  embedderOf(model);
  return {
    specificationVersion: 'v3',
    provider: 'llm-host',
    modelId: model.name,
    doRerank: async ({ query, documents, topN: topK, abortSignal: signal }) => {
      const texts =
        documents.type === 'text' ? documents.values : documents.values.map(value => JSON.stringify(value));
      const { ranked } = await embedderOf(model).rank(query, texts, { topK, signal });
      return { ranking: ranked.map(({ index, score }) => ({ index, relevanceScore: score })) };
    },
  };
}
