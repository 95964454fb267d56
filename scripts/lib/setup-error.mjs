import { hintFor } from './hint-for.mjs';

/** A failure of set-up that a person can act on. */
export class SetupError extends Error {
  /**
   * @param {string} message what failed and where
   * @param {{ hint?: string, output?: string, cause?: unknown }} [details]
   *   hint: what to do, whole lines; output: the end of the failed tool's output
   */
  constructor(message, { hint, output, cause } = {}) {
    super(message, { cause });
    this.name = 'SetupError';
    this.hint = hint;
    this.output = output;
  }
}

/** True for our own errors and for wrong options: their message says everything, no stack is needed. */
const saysItAll = error =>
  error instanceof SetupError ||
  error.name === 'LlmHostError' ||
  String(error.code).startsWith('ERR_PARSE_ARGS');

/**
 * Prints an error to stderr. File system errors get their likely cause; unexpected errors keep their stack, as bugs in
 * these scripts.
 */
function reportSetupError(error) {
  if (error.syscall) {
    console.error(`Error: ${error.message}\n${hintFor(error.message)}`);
    return;
  }
  if (!saysItAll(error)) {
    console.error(error);
    return;
  }
  const lines = [`Error: ${error.message}`];
  const output = error.output?.trimEnd();
  if (output) lines.push(...output.split('\n').map(line => `  | ${line}`));
  if (error.hint) lines.push(error.hint);
  console.error(lines.join('\n'));
}

/**
 * Runs a script's main function; an error is reported and ends the process with 1.
 * @param {() => Promise<unknown>} main
 */
export async function runMain(main) {
  try {
    await main();
  } catch (error) {
    reportSetupError(error);
    process.exitCode = 1;
  }
}

/** As runMain, for a script without a main function. */
export function reportUncaught() {
  process.on('uncaughtException', error => {
    reportSetupError(error);
    process.exit(1);
  });
}
