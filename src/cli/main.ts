#!/usr/bin/env node
import { OLLAMA_PREFIX } from './ollama-source.ts';
import { startProgram } from './start-program.ts';

await startProgram(async (source, options) => {
  if (source.startsWith(OLLAMA_PREFIX)) {
    const { openOllamaModel } = await import('./open-ollama-model.ts');
    return await openOllamaModel(source.slice(OLLAMA_PREFIX.length), options);
  }
  const { openLocalModel } = await import('./open-local-model.ts');
  return await openLocalModel(source, options);
});
