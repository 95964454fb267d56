import { EXIT, LlmHostError, messageOf } from '../../errors.ts';
import { stripControls } from '../../text/clean/strip-controls.ts';
import { openProgramLog } from './program-log.ts';
import { wrapped } from './terminal.ts';

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

/** Nothing names a model. */
export class MissingModel extends LlmHostError {
  /** Whether the usage line helps: with `-p` the error stands alone. */
  readonly showsUsage: boolean;

  /** `configPaths`: the config files that could have named one. */
  constructor(prompt: string | undefined, configPaths: readonly string[] = []) {
    const given = prompt === undefined ? [] : ['Name one: llm-host <model> -p "text"'];
    const read = configPaths.length === 0 ? [] : [`Nor does ${configPaths.join(', ')} name one.`];
    const hint = [...given, ...read].join('\n');
    super('USAGE', 'missing model', hint === '' ? {} : { hint });
    this.showsUsage = prompt === undefined;
  }
}
