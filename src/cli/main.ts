#!/usr/bin/env node
import { OLLAMA_PREFIX } from '../run/ollama-source.ts';
import { runProgram } from './program.ts';

await runProgram(async (source, options) => {
  if (source.startsWith(OLLAMA_PREFIX)) {
    const { openOllamaModel } = await import('../run/open-ollama-model.ts');
    return await openOllamaModel(source.slice(OLLAMA_PREFIX.length), options);
  }
  const { openLocalModel } = await import('../run/open-local-model.ts');
  return await openLocalModel(source, options);
});
