import { cpus, totalmem } from 'node:os';
import { root } from '../project.mjs';
import { CommandError, runCommand } from '../run-command.mjs';
import { SetupError } from '../setup-error.mjs';

/** Bytes that a compiler needs to read MLX's headers. */
const BYTES_PER_JOB = 1.2e9;

/** Memory of the machine, or of the container. */
const memory = () => Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);

/** Sources to compile at a time. */
export const compileJobs = () => Math.max(1, Math.min(cpus().length, Math.floor(memory() / BYTES_PER_JOB)));

/**
 * Runs CMake on the native addon; a failure shows the compiler's own errors.
 * @param {'configured' | 'compiled'} what
 * @param {string} command
 * @param {readonly string[]} args
 * @param {(progress: string) => void} [onProgress] how much is compiled, as '12/40'
 * @returns {Promise<string>} what was printed
 */
export async function runCMake(what, command, args, onProgress = () => {}) {
  const onText = text => {
    // Ninja counts files, make counts percent.
    const [done] = text.match(/\[\s*(\d+\/\d+|\d+%)\]/g)?.slice(-1) ?? [];
    if (done) onProgress(done.slice(1, -1).trim());
  };
  try {
    return await runCommand(command, args, { cwd: root, onText });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new SetupError(`the native addon could not be ${what}: ${error.message}`, {
      output: firstErrors(error.output) ?? error.tail(30),
      hint: /Killed|out of memory|bad_alloc/i.test(error.output)
        ? 'The machine ran out of memory: close other programs and run the same command again.'
        : undefined,
    });
  }
}

/** The compiler's own errors, which are easily lost in the output of a parallel build. */
function firstErrors(output) {
  const lines = output.split('\n');
  const first = lines.findIndex(line => /(^|\s)(fatal )?error:|^CMake Error/.test(line));
  return first < 0 ? undefined : lines.slice(first, first + 30).join('\n');
}
