import { EXIT, LlmHostError, messageOf } from '../../errors.ts';
import { stripControls } from '../../text/clean/strip-controls.ts';
import { MissingModel } from './missing-model.ts';
import { openProgramLog } from './program-log.ts';

const USAGE_LINE = 'Usage: llm-host <model> [options]   (llm-host --help lists them)';

/** Prints `Error: ...` with the hint and returns the exit code; an unexpected error's stack goes to the log. */
export function reportError(error: unknown): number {
  if (error instanceof LlmHostError) {
    if (error instanceof MissingModel && error.showsUsage) process.stderr.write(`${USAGE_LINE}\n`);
    process.stderr.write(stripControls(`Error: ${error.message}\n${error.hint ? `${error.hint}\n` : ''}`));
    return error.exitCode;
  }
  const log = openProgramLog(process.env);
  log.logger.error({ stack: error instanceof Error ? error.stack : undefined }, messageOf(error));
  process.stderr.write(
    `Error: ${stripControls(messageOf(error))}\nThis should not have happened. Details: ${log.path}\n`,
  );
  return EXIT.unexpected;
}
