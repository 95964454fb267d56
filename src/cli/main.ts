#!/usr/bin/env node
import { startProgram } from './start-program.ts';

await startProgram(async (source, options) => {
  const { openLocalModel } = await import('./open-local-model.ts');
  return await openLocalModel(source, options);
});
