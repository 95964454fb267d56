/** Prefix of a model that an Ollama server runs. */
export const OLLAMA_PREFIX = 'ollama:';
