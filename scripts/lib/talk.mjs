import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { pipeline } from 'node:stream/promises';
import { isatty } from 'node:tty';

/**
 * Runs a program as a child in this terminal. Prompts piped in are passed on byte for byte; a stdin that ends
 * without a byte (/dev/null, closed, an empty file or pipe) is replaced by a conversation.
 * @param {{ main: string, args: readonly string[], conversation: string }} options
 *   main: the program's JavaScript file; conversation: a file with one prompt a line
 * @returns {Promise<number>} its exit code; 128 and the signal's number when a signal ended it
 */
export function talk({ main, args, conversation }) {
  // With a prompt in the arguments, stdin is appended to it.
  const asIs = isatty(0) || args.some(argument => /^(-p|--prompt)/.test(argument));
  const child = spawn(process.execPath, [main, ...args], {
    stdio: [asIs ? 'inherit' : 'pipe', 'inherit', 'inherit'],
  });
  if (child.stdin) feed(child.stdin, conversation);
  const stopForwarding = forwardSignals(child);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      stopForwarding();
      process.stdin.destroy(); // Else a pipe that stays open would keep this process waiting.
      resolve(code ?? 128 + constants.signals[signal]);
    });
  });
}

async function feed(input, conversation) {
  try {
    await pipeline(() => stdinOr(conversation), input);
  } catch (error) {
    // The program ended (quit, or a signal) before reading everything.
    if (!['EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET'].includes(error.code)) throw error;
  }
}

async function* stdinOr(conversation) {
  let empty = true;
  for await (const chunk of process.stdin) {
    empty = false;
    yield chunk;
  }
  if (empty) yield readFileSync(conversation);
}

/** A terminal sends Ctrl+C to the child itself, so only what is sent to this process alone is passed on. */
function forwardSignals(child) {
  const onTerminal = [0, 1, 2].some(fd => isatty(fd));
  const pass = signal => {
    if (signal !== 'SIGINT' || !onTerminal) child.kill(signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, pass);
  return () => {
    for (const signal of signals) process.removeListener(signal, pass);
  };
}
