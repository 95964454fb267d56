import type { OpenModel } from '../../run/open-model.ts';
import { run } from '../run.ts';
import { reportError } from './report-error.ts';
import { Signals } from './signals.ts';

/** The process around the program: signals, crashes, a reader that goes away. Ends the process. */
export async function startProgram(openModel: OpenModel): Promise<never> {
  const signals = new Signals();
  signals.install();
  process.on('uncaughtException', error => {
    signals.leaveScreen();
    void signals.exit(reportError(error));
  });
  // A reader that went away (`| head`), or a terminal that was closed, is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    signals.leaveScreen();
    void signals.exit(error.code === 'EPIPE' || error.code === 'EIO' ? 0 : reportError(error));
  });
  // Where stderr is gone there is nobody to tell.
  process.stderr.on('error', () => undefined);
  return await signals.exit(await run(process.argv.slice(2), { openModel, signals }));
}
