export { embeddingModel } from './embedding-model.ts';
export { languageModel } from './language-model.ts';
export { rerankingModel } from './reranking-model.ts';
