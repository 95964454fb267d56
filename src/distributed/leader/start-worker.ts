import { type ChildProcess, spawn } from 'node:child_process';
import { LlmHostError } from '../../errors.ts';
import { addressText } from '../link/address.ts';
import { newSecret } from '../link/secret.ts';
import type { WorkerHost } from './group-hosts.ts';

/** For ssh to connect, and the worker to listen. */
const START_MS = 20_000;
const KEPT_CHARACTERS = 2000;

/** A worker that ends with its stdin, and so with this program, whatever happens to that. */
export interface StartedWorker {
  readonly secret: string;
  readonly ended: Promise<void>;
  end(): void;
}

/** Starts a worker over ssh. Throws LlmHostError that names the machine. */
export async function startWorker(
  { start = [], control }: WorkerHost,
  title: string,
  startMs = START_MS,
): Promise<StartedWorker> {
  const [program = '', ...args] = start;
  const options = ['worker', '--listen', addressText(control), '--secret-file', '-', '--once'];
  // A group of its own: Ctrl+C in the terminal must not end the connection before the worker has been told.
  const child = spawn(program, [...args, ...options], { stdio: 'pipe', detached: true });
  const secret = newSecret();
  let said = '';
  child.stderr.on('data', chunk => {
    said = `${said}${String(chunk)}`.slice(-KEPT_CHARACTERS);
  });
  child.stdin.on('error', () => undefined);
  child.stdin.write(`${secret}\n`);
  const ended = new Promise<void>(resolve => child.once('close', () => resolve()));
  const end = () => {
    child.stdin.end();
    // An ssh whose connection is dead does not end by itself.
    setTimeout(() => child.kill('SIGKILL'), 2000).unref();
  };
  try {
    await listening(child, title, startMs, () => said);
  } catch (error) {
    end();
    child.kill();
    throw error;
  }
  return { secret, ended, end };
}

async function listening(
  child: ChildProcess,
  title: string,
  startMs: number,
  said: () => string,
): Promise<void> {
  const fault = (what: string) =>
    new LlmHostError('ENGINE', `the worker on ${title} ${what}`, { hint: lastLines(said()) });
  let limit: NodeJS.Timeout | undefined;
  const started = new Promise<void>((resolve, reject) => {
    limit = setTimeout(() => reject(fault(`has not started after ${startMs / 1000} s`)), startMs);
    let output = '';
    child.stdout?.on('data', chunk => {
      if (output.length < KEPT_CHARACTERS) output += String(chunk);
      if (/^Listening on /m.test(output)) resolve();
    });
    child.once('error', error => reject(fault(`cannot be started (${error.message})`)));
    child.once('close', code => reject(fault(`has not started: ssh ended with ${code}`)));
  });
  await started.finally(() => clearTimeout(limit));
}

const lastLines = (text: string) => text.trim().split('\n').slice(-5).join('\n');
