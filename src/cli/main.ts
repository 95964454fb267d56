#!/usr/bin/env node
import { OLLAMA_PREFIX } from '../run/ollama-source.ts';
import { SERVED_PREFIX } from '../run/served-source.ts';
import { runProgram } from './program.ts';

await runProgram(async (source, options) => {
  if (source.startsWith(OLLAMA_PREFIX)) {
    const { openOllamaModel } = await import('../run/open-ollama-model.ts');
    return await openOllamaModel(source.slice(OLLAMA_PREFIX.length), options);
  }
  if (source.startsWith(SERVED_PREFIX)) {
    const { openServedModel } = await import('../run/open-served-model.ts');
    return await openServedModel(source.slice(SERVED_PREFIX.length), options);
  }
  const { openLocalModel } = await import('../run/open-local-model.ts');
  return await openLocalModel(source, options);
});
