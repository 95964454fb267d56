import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const TAIL_CHARS = 200_000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();

/** A command that could not be started or did not exit with 0. */
export class CommandError extends Error {
  /** @param {string} message @param {{ output: string, code: number | null, notFound: boolean }} details */
  constructor(message, { output, code, notFound }) {
    super(message);
    this.name = 'CommandError';
    this.output = output;
    this.code = code;
    this.notFound = notFound;
  }

  /** The last `lines` lines that the command printed. */
  tail(lines = 20) {
    return this.output.trimEnd().split('\n').slice(-lines).join('\n');
  }
}

/**
 * Runs a command without a terminal and resolves with all that it printed (stdout and stderr as they came, the
 * last 200,000 characters). It runs in its own process group, so that a signal ends its children too.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<string>}
 */
export function runCommand(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    let output = '';
    const keep = text => {
      output = (output + text).slice(-TAIL_CHARS);
    };
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    track(child);
    child.stdout.setEncoding('utf8').on('data', keep);
    child.stderr.setEncoding('utf8').on('data', keep);
    child.on('error', error => {
      untrack(child);
      reject(new CommandError(error.message, { output, code: null, notFound: error.code === 'ENOENT' }));
    });
    child.on('close', (code, signal) => {
      untrack(child);
      if (code === 0) return resolve(output);
      const how = signal ? `was ended by ${signal}` : `exited with ${code}`;
      reject(new CommandError(`${command} ${how}`, { output, code, notFound: false }));
    });
  });
}

/** Ends every command that is still running, with its children. */
export function stopCommands() {
  for (const child of running) {
    try {
      process.kill(-child.pid, 'SIGTERM');
    } catch {
      child.kill(); // The group is gone already, or was never made.
    }
  }
}

function track(child) {
  if (child.pid === undefined) return;
  if (running.size === 0) for (const signal of SIGNALS) process.on(signal, onSignal);
  running.add(child);
}

function untrack(child) {
  if (!running.delete(child) || running.size > 0) return;
  for (const signal of SIGNALS) process.removeListener(signal, onSignal);
}

function onSignal(signal) {
  stopCommands();
  process.exit(128 + constants.signals[signal]);
}
