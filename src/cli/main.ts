#!/usr/bin/env node
import { reportError } from './report-error.ts';
import { run } from './run.ts';
import { Signals } from './signals.ts';

const signals = new Signals();
signals.install();
process.on('uncaughtException', error => void signals.exit(reportError(error)));
// A reader that went away (`| head`) is no failure.
process.stdout.on(
  'error',
  (error: NodeJS.ErrnoException) => void signals.exit(error.code === 'EPIPE' ? 0 : reportError(error)),
);

const code = await run(process.argv.slice(2), {
  openModel: async (source, options) => {
    const { openLocalModel } = await import('./open-local-model.ts');
    return await openLocalModel(source, options);
  },
  signals,
});
await signals.exit(code);
