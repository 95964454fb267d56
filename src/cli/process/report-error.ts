import { EXIT, LlmHostError, messageOf } from '../../errors.ts';
import { stripControls } from '../../text/clean/strip-controls.ts';
import { MissingModel } from './missing-model.ts';
import { openProgramLog } from './program-log.ts';
import { wrapped } from './wrapped.ts';

const USAGE_LINE = 'Usage: llm-host <model> [options]   (try llm-host demo, or llm-host --help)';

/** Prints `Error: ...` with the hint and returns the exit code; an unexpected error's stack goes to the log. */
export function reportError(error: unknown): number {
  if (error instanceof LlmHostError) {
    if (error instanceof MissingModel && error.showsUsage) tell(USAGE_LINE);
    tell(`Error: ${error.message}${error.hint ? `\n${error.hint}` : ''}`);
    return error.exitCode;
  }
  const log = openProgramLog(process.env);
  log.logger.error({ stack: error instanceof Error ? error.stack : undefined }, messageOf(error));
  tell(`Error: ${messageOf(error)}\nThis should not have happened. Details: ${log.path}`);
  return EXIT.unexpected;
}

const tell = (text: string): void =>
  void process.stderr.write(`${wrapped(stripControls(text), process.stderr, process.env)}\n`);
