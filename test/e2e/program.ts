import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const MAIN = join(ROOT, 'dist', 'cli', 'main.js');
/** The same program with the scripted engine in place of MLX. */
export const SCRIPTED_MAIN = join(ROOT, 'test', 'e2e', 'scripted-main.mjs');

/** A folder of its own for one test, with its own home; removed afterwards. */
export function workplace(files: Readonly<Record<string, string>> = {}): {
  dir: string;
  env: NodeJS.ProcessEnv;
} {
  const dir = mkdtempSync(join(tmpdir(), 'llm-host-e2e-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  const home = join(dir, 'home');
  // The demo's weights stay where the set-up put them; what else is cached is the test's own.
  const caches = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  mkdirSync(join(home, '.cache', 'llm-host'), { recursive: true });
  symlinkSync(join(caches, 'llm-host', 'demo'), join(home, '.cache', 'llm-host', 'demo'));
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    LANG: 'C.UTF-8',
    TERM: 'xterm',
    // The tests' own servers need no question; the tests of the question leave this out.
    LLM_HOST_TRUST_MCP: '1',
  };
  return { dir, env };
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running program whose output can be waited for. */
export class Program {
  readonly child: ChildProcessWithoutNullStreams;
  stdout = '';
  stderr = '';
  readonly ended: Promise<Ended>;

  /** `under`: what runs the program, such as `nsenter ... --`. */
  constructor(
    main: string,
    args: readonly string[],
    { under = [], ...options }: { cwd: string; env: NodeJS.ProcessEnv; under?: readonly string[] },
  ) {
    const [file = '', ...rest] = [...under, process.execPath, main, ...args];
    this.child = spawn(file, rest, options);
    this.child.stdout.on('data', chunk => {
      this.stdout += chunk;
    });
    this.child.stderr.on('data', chunk => {
      this.stderr += chunk;
    });
    // Writing to a program that has gone is part of some tests.
    this.child.stdin.on('error', () => undefined);
    this.ended = new Promise(resolve => {
      this.child.on('close', (code, signal) =>
        resolve({ code, signal, stdout: this.stdout, stderr: this.stderr }),
      );
    });
    onTestFinished(() => void this.child.kill('SIGKILL'));
  }

  /** Waits until stdout holds `text`. */
  async shows(text: string, limitMs = 60_000): Promise<void> {
    const limit = Date.now() + limitMs;
    while (!this.stdout.includes(text)) {
      if (Date.now() > limit || this.child.exitCode !== null) {
        throw new Error(`'${text}' was not shown.\nstdout:\n${this.stdout}\nstderr:\n${this.stderr}`);
      }
      await sleep(10);
    }
  }

  /** Where a server listens, once it does. */
  async url(): Promise<string> {
    await this.shows('Listening on ');
    return /Listening on (\S+)/.exec(this.stdout)?.[1] ?? '';
  }

  say(line: string): void {
    this.child.stdin.write(`${line}\n`);
  }
}

/** Runs a program to its end with `stdin` as its whole input. */
export async function runProgram(
  main: string,
  args: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv; under?: readonly string[]; stdin?: string | Uint8Array },
): Promise<Ended> {
  const program = new Program(main, args, options);
  program.child.stdin.end(options.stdin ?? '');
  return await program.ended;
}

/** `<pid> <command line>` of all processes that mention `mark`, this one's aside. Linux only. */
export function processesWith(mark: string): string[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap(pid => {
      try {
        // A zombie has an empty command line.
        const command = readFileSync(join('/proc', pid, 'cmdline'), 'utf8')
          .replaceAll('\0', ' ')
          .trim();
        const line = `${pid} ${command}`;
        return command !== '' && line.includes(mark) ? [line] : [];
      } catch {
        return []; // it ended while we looked
      }
    });
}

/** Waits until no process mentions `mark`; returns those left after the limit. */
export async function processesLeft(mark: string, limitMs = 4000): Promise<string[]> {
  const limit = Date.now() + limitMs;
  while (processesWith(mark).length > 0 && Date.now() < limit) await sleep(50);
  return processesWith(mark);
}
