import type { EmbeddingModelV3 } from '@ai-sdk/provider';
import { embedderOf, type Model } from '../model.ts';

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
