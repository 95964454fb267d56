import { setTimeout as sleep } from 'node:timers/promises';
import { type IPty, spawn } from '@lydell/node-pty';
import { onTestFinished } from 'vitest';
import { Emulator } from '../tui/terminal/emulator.ts';

/** A program on a pseudo-terminal: what a person sees and types. */
export class Terminal {
  screen = '';
  exitCode: number | undefined;
  readonly emulator: Emulator;
  readonly #pty: IPty;

  constructor(
    main: string,
    args: readonly string[],
    cwd: string,
    env: NodeJS.ProcessEnv,
    size: { cols: number; rows: number } = { cols: 100, rows: 30 },
  ) {
    this.#pty = spawn(process.execPath, [main, ...args], { ...size, cwd, env });
    this.emulator = new Emulator(size.cols, size.rows);
    this.#pty.onData(data => {
      this.screen += data;
      this.emulator.write(data);
    });
    this.#pty.onExit(({ exitCode }) => {
      this.exitCode = exitCode;
    });
    onTestFinished(() => {
      if (this.exitCode === undefined) this.#pty.kill('SIGKILL');
    });
  }

  get pid(): number {
    return this.#pty.pid;
  }

  /** @param toldMs when the program hears of it: tmux takes up to 250 ms */
  resize(columns: number, rows: number, toldMs = 0): void {
    this.emulator.resize(columns, rows);
    if (toldMs === 0) this.#pty.resize(columns, rows);
    else setTimeout(() => this.exitCode ?? this.#pty.resize(columns, rows), toldMs);
  }

  /** Waits until the screen, with its scrollback, holds `text`, so many times. */
  async displays(text: string, { limitMs = 60_000, times = 1 } = {}): Promise<string[]> {
    const limit = Date.now() + limitMs;
    while (true) {
      const lines = await this.emulator.lines(true);
      if (lines.join('\n').split(text).length > times) return lines;
      if (Date.now() > limit) throw new Error(`'${text}' is not displayed:\n${lines.join('\n')}`);
      await sleep(20);
    }
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
