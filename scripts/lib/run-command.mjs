import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const TAIL_CHARS = 200_000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a command, and ends its process group when descriptor 3 closes, which happens when this process dies, even
 * by SIGKILL. Otherwise an orphaned npm or compiler would interfere with the next set-up.
 */
const GUARD = `
"$@" 3<&- &
command=$!
{ read -r _ <&3; kill -KILL 0; } > /dev/null 2>&1 &
guard=$!
exec 3<&-
wait $command
status=$?
kill $guard 2> /dev/null
exit $status`;
const NOT_FOUND = 127;

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
 * Runs a command without a terminal and resolves with its output (stdout and stderr interleaved, the last 200,000
 * characters). It runs in its own process group, so that a signal also ends its children.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, onText?: (text: string) => void }} [options]
 *   onText: called with each piece of output
 * @returns {Promise<string>}
 */
export function runCommand(command, args, { onText, ...options } = {}) {
  return new Promise((resolve, reject) => {
    let output = '';
    const keep = text => {
      output = (output + text).slice(-TAIL_CHARS);
      onText?.(text);
    };
    const child = spawn('sh', ['-c', GUARD, 'sh', command, ...args], {
      ...options,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      detached: true,
    });
    track(child);
    child.stdout.setEncoding('utf8').on('data', keep);
    child.stderr.setEncoding('utf8').on('data', keep);
    child.on('error', error => {
      untrack(child);
      reject(new CommandError(error.message, { output, code: null, notFound: false }));
    });
    child.on('close', (code, signal) => {
      untrack(child);
      if (code === 0) return resolve(output);
      const how = signal ? `was ended by ${signal}` : `exited with ${code}`;
      reject(new CommandError(`${command} ${how}`, { output, code, notFound: code === NOT_FOUND }));
    });
  });
}

/**
 * Ends every running command with its children. By SIGKILL: npm is slow to react to SIGTERM, and the next set-up may
 * start meanwhile; partial results are never used.
 */
export function stopCommands() {
  for (const child of running) {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      child.kill('SIGKILL'); // The group is gone already, or was never made.
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
