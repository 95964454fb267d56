import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { type ErrorCode, LlmHostError } from '../errors.ts';
import type { RunLine, RunResult, RunSpec } from './run-protocol.ts';

/** How to start the process that measures an engine. */
export interface Runner {
  /** Such as `mlx-lm`. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Added to this process's environment. */
  readonly env: Readonly<Record<string, string>>;
}

export interface ProcessRun {
  readonly result: RunResult;
  /** Milliseconds from the start of the process to the first token of its first prompt. */
  readonly startToFirstTokenMs: number;
}

/** Milliseconds: enough for a large model on a slow machine, but a hanging process is ended. */
const LIMIT_MS = 60 * 60_000;
const STDERR_LINES = 12;

/**
 * Starts a process, has it measure, and waits for its end. It is killed when the signal fires, and ends by itself when
 * this process does. @throws LlmHostError: the one the process reported, or ENGINE with the tail of its stderr.
 */
export async function runProcess(
  { name, command, args, env }: Runner,
  spec: RunSpec,
  signal: AbortSignal,
): Promise<ProcessRun> {
  const start = performance.now();
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    signal: AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]),
    killSignal: 'SIGKILL',
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-20_000);
  });
  let first: number | undefined;
  let result: RunResult | undefined;
  let failure: LlmHostError | undefined;
  createInterface({ input: child.stdout }).on('line', text => {
    const line = parsed(text);
    if (line?.type === 'first') first = performance.now() - start;
    if (line?.type === 'error') failure = told(name, line);
    if (line?.type === 'result') result = line;
    // Its result is in.
    if (line?.type === 'error' || line?.type === 'result') child.stdin.end();
  });
  // A process that does not read its task has died; stderr says why.
  child.stdin.on('error', () => undefined);
  child.stdin.write(`${JSON.stringify(spec)}\n`);
  const end = await new Promise<string>(resolve => {
    child.on('error', error => resolve(error.message));
    child.on('close', (code, by) => resolve(by ? `was ended by ${by}` : `exited with ${code}`));
  });
  signal.throwIfAborted();
  if (failure) throw failure;
  if (result && first !== undefined) return { result, startToFirstTokenMs: first };
  const tail = stderr.trimEnd().split('\n').slice(-STDERR_LINES).join('\n');
  throw new LlmHostError('ENGINE', `the run of ${name} ${end} without a result${tail && `:\n${tail}`}`);
}

/** undefined: other output of the process. */
function parsed(text: string): RunLine | undefined {
  try {
    return JSON.parse(text) as RunLine;
  } catch {
    return undefined;
  }
}

function told(name: string, { code, message, hint }: Extract<RunLine, { type: 'error' }>): LlmHostError {
  const text = name === 'llm-host' ? message : `${name}: ${message}`;
  return new LlmHostError(code as ErrorCode, text, hint === undefined ? {} : { hint });
}
