import { spawn } from 'node:child_process';
import { root } from './project.mjs';

/** So that a hanging runner does not hang the whole run; far longer than any part takes. */
const LIMIT_MS = 30 * 60_000;

/** Runs a command with its output shown and an empty stdin; true if it exits with 0. */
export function showCommand(command, args, env = {}) {
  return new Promise(resolve => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, ...env },
      timeout: LIMIT_MS,
    });
    const stop = signal => {
      child.kill(signal);
      process.exitCode = 1;
    };
    process.once('SIGTERM', stop);
    child.on('error', error => {
      console.log(`${command}: ${error.message}`);
      resolve(false);
    });
    child.on('close', (code, signal) => {
      process.removeListener('SIGTERM', stop);
      if (signal) console.log(`${command} was ended by ${signal}`);
      resolve(code === 0);
    });
  });
}
