#!/usr/bin/env node
import { runProgram } from './program.ts';

await runProgram(async (source, options) => {
  switch (source.kind) {
    case 'ollama': {
      const { openOllamaModel } = await import('../run/open-ollama-model.ts');
      return await openOllamaModel(source.name, options);
    }
    case 'served': {
      const { openServedModel } = await import('../run/open-served-model.ts');
      return await openServedModel(source, options);
    }
    default: {
      const { openLocalModel } = await import('../run/open-local-model.ts');
      return await openLocalModel(source, options);
    }
  }
});
