import { spawn } from 'node:child_process';
import { root } from './project.mjs';

/** So that a hanging runner does not hang the whole run; far longer than any part takes. */
const LIMIT_MS = 30 * 60_000;

/**
 * Runs a command with its output shown and an empty stdin; true if it exits with 0. `later`: its output is shown when it
 * has ended, for one that runs beside another.
 */
export function showCommand(command, args, env = {}, { later = false } = {}) {
  return new Promise(resolve => {
    const output = later ? 'pipe' : 'inherit';
    const child = spawn(command, args, {
      cwd: root,
      stdio: ['ignore', output, output],
      env: { ...process.env, ...env },
      timeout: LIMIT_MS,
    });
    const stop = signal => {
      child.kill(signal);
      process.exitCode = 1;
    };
    process.once('SIGTERM', stop);
    const said = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', chunk => said.push(chunk));
    child.on('error', error => {
      console.log(`${command}: ${error.message}`);
      resolve(false);
    });
    child.on('close', (code, signal) => {
      process.removeListener('SIGTERM', stop);
      process.stdout.write(Buffer.concat(said));
      if (signal) console.log(`${command} was ended by ${signal}`);
      resolve(code === 0);
    });
  });
}
