import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished } from 'vitest';
import type { Shown } from './command-table.ts';

const STOPPED = 128 + 15;

/**
 * Runs a line in a shell as it stands there, `<model>` apart, which is the demo; expects it to end well and to show what it
 * should. One that goes on until it is stopped is stopped by SIGTERM as soon as that is there.
 * Returns what it has shown.
 */
export async function runLine(
  line: string,
  { shows, on = 'stdout', stdin = '', stops }: Shown,
  options: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<string> {
  const child = spawn('sh', ['-c', line.replaceAll('<model>', 'demo')], { ...options, detached: true });
  const signal = (name: NodeJS.Signals) =>
    child.exitCode === null && child.signalCode === null && process.kill(-(child.pid as number), name);
  onTestFinished(() => void signal('SIGKILL'));
  const output = { stdout: '', stderr: '' };
  let stopped = false;
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', chunk => {
      output[name] += chunk;
      if (!stops || stopped || !shows.test(output[on])) return;
      stopped = true;
      signal('SIGTERM');
    });
  }
  // It may end without reading.
  child.stdin.on('error', () => undefined);
  child.stdin.end(stdin);
  const [code, by] = await once(child, 'close');
  // A shell that has not made way for the program is ended with it.
  const ended = by === 'SIGTERM' && stopped ? STOPPED : code;
  const expected = { code: stops ? STOPPED : 0, [on]: expect.stringMatching(shows) };
  expect({ line, ...output, code: ended }).toMatchObject(expected);
  return output.stdout;
}
