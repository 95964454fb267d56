import type { RerankingModelV3 } from '@ai-sdk/provider';
import { embedderOf, type Model } from '../model.ts';

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
