import { setTimeout as sleep } from 'node:timers/promises';
import { type IPty, spawn } from '@lydell/node-pty';
import { onTestFinished } from 'vitest';

/** A program on a pseudo-terminal: what a person sees and types. */
export class Terminal {
  screen = '';
  exitCode: number | undefined;
  readonly #pty: IPty;

  constructor(main: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv) {
    this.#pty = spawn(process.execPath, [main, ...args], { cols: 100, rows: 30, cwd, env });
    this.#pty.onData(data => {
      this.screen += data;
    });
    this.#pty.onExit(({ exitCode }) => {
      this.exitCode = exitCode;
    });
    onTestFinished(() => {
      if (this.exitCode === undefined) this.#pty.kill('SIGKILL');
    });
  }

  type(keys: string): void {
    this.#pty.write(keys);
  }

  async shows(text: string, times = 1, limitMs = 60_000): Promise<void> {
    const limit = Date.now() + limitMs;
    while (this.screen.split(text).length <= times) {
      if (Date.now() > limit) throw new Error(`'${text}' was not shown ${times} times:\n${this.screen}`);
      await sleep(10);
    }
  }

  async exits(limitMs = 20_000): Promise<number> {
    const limit = Date.now() + limitMs;
    while (this.exitCode === undefined) {
      if (Date.now() > limit) throw new Error(`still running:\n${this.screen}`);
      await sleep(10);
    }
    return this.exitCode;
  }
}
