import { LlmHostError } from '../errors.ts';

/** The error for a reply asked of a model that turns texts into vectors. */
export function notAChatModel(name: string): LlmHostError {
  return new LlmHostError('USAGE', `${name} turns texts into vectors and does not chat`, {
    hint: 'Choose a chat model, or use this one to embed and rank.',
  });
}

/** The error for vectors asked of a model that chats. */
export function notAnEmbeddingModel(name: string): LlmHostError {
  return new LlmHostError('USAGE', `${name} is a chat model and makes no vectors of texts`, {
    hint: 'Choose an embedding model, such as sentence-transformers/all-MiniLM-L6-v2.',
  });
}
