import { LlmHostError, messageOf } from '../errors.ts';
import type { OpenModel } from '../run/open-model.ts';
import { COMMANDS } from './commands/table.ts';
import { commandLine } from './options/command-line.ts';
import { reportError } from './process/report-error.ts';
import { Signals } from './process/signals.ts';

/**
 * Runs the program and ends the process: command line, signals, crashes, a reader that goes away. Whole-program tests
 * give it another `openModel`.
 */
export async function runProgram(openModel: OpenModel): Promise<never> {
  const signals = new Signals();
  signals.install();
  process.on('uncaughtException', error => {
    signals.leaveScreen();
    void signals.exit(reportError(error));
  });
  // A reader that went away (`| head`) or a closed terminal is not a failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    const isGone = error.code === 'EPIPE' || error.code === 'EIO';
    // Giving a closed terminal back fails too, which must not cut the end short.
    if (isGone && signals.ending) return;
    signals.leaveScreen();
    const full = new LlmHostError('UNEXPECTED', `the output cannot be written: ${messageOf(error)}`);
    void signals.exit(isGone ? 0 : reportError(full));
  });
  // Without stderr nobody can be informed.
  process.stderr.on('error', () => undefined);
  const done = commandLine(process.argv.slice(2), COMMANDS, { openModel, signals });
  const code = await done.catch(reportError);
  await Promise.all([process.stdout, process.stderr].map(written));
  return await signals.exit(code);
}

/** Resolves when a slow reader has everything: the end of the process would drop what is still waiting. */
function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise(resolve => {
    // An error of the last write is reported in a moment.
    if (stream.writableLength === 0 || stream.destroyed) setImmediate(resolve);
    else stream.write('', () => resolve());
  });
}
