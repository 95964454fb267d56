import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isatty } from 'node:tty';
import { bootstrap } from './bootstrap.mjs';
import { distDir, root } from './lib/project.mjs';
import { runMain } from './lib/setup-error.mjs';

/**
 * Sets up what is missing, then talks to the demo model. On a terminal it is interactive; prompts piped to it are
 * answered; a stdin that ends without a byte (/dev/null, closed, empty) gets the conversation of models/demo.
 */
await runMain(async () => {
  await bootstrap({ quiet: true });
  process.exitCode = await talk(process.argv.slice(2));
});

/** Runs the program as a child. Resolves with its exit code. */
function talk(args) {
  // With a prompt in the arguments stdin is text to add to it: nothing to fill in.
  const asIs = isatty(0) || args.some(argument => /^(-p|--prompt)/.test(argument));
  const main = join(distDir, 'cli', 'main.js');
  const child = spawn(process.execPath, [main, 'demo', ...args], {
    stdio: [asIs ? 'inherit' : 'pipe', 'inherit', 'inherit'],
  });
  if (child.stdin) feed(child.stdin);
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

/** Passes stdin on byte for byte; the scripted conversation when it was empty. */
async function feed(input) {
  try {
    await pipeline(stdinOrConversation, input);
  } catch (error) {
    // The program left (quit, or a signal) before it had read everything.
    if (!['EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET'].includes(error.code)) throw error;
  }
}

async function* stdinOrConversation() {
  let empty = true;
  for await (const chunk of process.stdin) {
    empty = false;
    yield chunk;
  }
  if (empty) yield readFileSync(join(root, 'models/demo/conversation.txt'));
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
