import type { NativeWatchdog } from '../../native/addon-types.ts';
import { loadAddon } from '../../native/load-addon.ts';
import { closeLostTerminals } from './terminal.ts';

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** Longest wait for the clean-up before the process ends anyway. */
const CLEANUP_MS = 5000;
/** Longest wait after that, when the engine may be in the middle of a step. */
const LEAVE_MS = 10_000;
/** Both, for somebody who interrupts the end of the program: more than servers and a cancelled turn get then. */
const INTERRUPTED_MS = 1500;

/**
 * Handles SIGINT, SIGTERM and SIGHUP. TERM and HUP clean up and exit; INT goes to a listener (a chat cancels its turn) and
 * is like TERM without one. A second signal during the clean-up, but for HUP, ends the process at once.
 */
export class Signals {
  readonly #cleanups = new Set<(code: number) => Promise<void>>();
  #restore: (() => void) | undefined;
  #interrupt: (() => void) | undefined;
  #interruptCode: number = EXIT_CODES.SIGINT;
  #closing = false;
  #insisted = false;
  #ending = false;
  #code = 0;
  #cleanupMs = CLEANUP_MS;
  #leaveMs = LEAVE_MS;
  #watchdog: NativeWatchdog | undefined;
  /** Above 0: SIGINT was for the program in front. */
  #blocked = 0;

  install(): void {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(name, () => {
        if (name === 'SIGINT' && this.#blocked > 0) return;
        // When a window is closed, both the terminal and the shell report it.
        if (name === 'SIGHUP' && this.#ending) return;
        if (name === 'SIGINT' && this.#interrupt && !this.#ending) this.#interrupt();
        else {
          // Below what the terminal shows for Ctrl+C, or a bar.
          if (name === 'SIGINT' && process.stderr.isTTY && !process.stdin.isRaw) process.stderr.write('\n');
          if (name === 'SIGINT' && this.#closing) this.#hurry();
          void this.exit(name === 'SIGINT' ? this.#interruptCode : EXIT_CODES[name]);
        }
      });
    }
  }

  /**
   * From now on signals end the process even if JavaScript is blocked. Without the native engine, as chats with Ollama
   * may be, they do not.
   */
  watch(): void {
    try {
      this.#watchdog = loadAddon().watchdog;
    } catch {
      // Whoever needs the engine reports why it is not there.
      return;
    }
    this.#watchdog.arm(keys => process.stdin.push(keys));
  }

  /**
   * Stops the terminal from showing what is typed until the returned function is called, or the program ends: the keys
   * are for a screen that is not up yet. Nothing without `watch`.
   */
  hideTyping(): () => void {
    this.#watchdog?.echo(false);
    const show = () => this.#watchdog?.echo(true);
    this.onLeave(show);
    return show;
  }

  /** Runs what blocks JavaScript for good reason: another program in front, which signals and keys are for. */
  blockedBy<T>(work: () => T): T {
    this.#watchdog?.pause(true);
    this.#blocked += 1;
    try {
      return work();
    } finally {
      this.#watchdog?.pause(false);
      // Node reports a signal that came meanwhile in the next round of its loop, perhaps the second from here.
      setImmediate(() =>
        setImmediate(() => {
          this.#blocked -= 1;
        }),
      );
    }
  }

  /** The clean-ups run. */
  get ending(): boolean {
    return this.#ending;
  }

  /** Sets the listener for SIGINT; undefined: exit with 130. */
  onInterrupt(listener: (() => void) | undefined): void {
    this.#interrupt = listener;
  }

  /**
   * Only closing is left, which may hang: SIGINT ends the process with `code`, and hardly waits for the clean-ups. At once
   * after `insist`.
   */
  closing(code: number = EXIT_CODES.SIGINT): void {
    this.#interrupt = undefined;
    this.#interruptCode = code;
    this.#closing = true;
    if (!this.#insisted) return;
    this.#hurry();
    void this.exit(code);
  }

  /** The user has interrupted the program twice: what it was doing may hang its closing too. */
  insist(): void {
    this.#insisted = true;
  }

  #hurry(): void {
    this.#cleanupMs = INTERRUPTED_MS;
    this.#leaveMs = INTERRUPTED_MS;
  }

  /** Gives the clean-ups more time than usual, in milliseconds. */
  allowCleanup(ms: number): void {
    this.#cleanupMs = ms;
  }

  /** `cleanup` gets the exit code. */
  addCleanup(cleanup: (code: number) => Promise<void>): void {
    this.#cleanups.add(cleanup);
  }

  /** Sets how to give the terminal back before anything is printed about the end; undefined: nothing to do. */
  onLeave(restore: (() => void) | undefined): void {
    this.#restore = restore;
  }

  /** Gives the terminal back. Idempotent. */
  leaveScreen(): void {
    const restore = this.#restore;
    this.#restore = undefined;
    restore?.();
  }

  /** Runs the clean-ups, all at once and at most for 5 s (see `allowCleanup`, `closing`), then ends the process. */
  async exit(code: number): Promise<never> {
    this.leaveScreen();
    // The code of the first failure stays, however the rest ends.
    this.#code ||= code;
    if (this.#ending) leave(this.#code);
    this.#ending = true;
    this.#watchdog?.endWithin(this.#code, this.#cleanupMs + this.#leaveMs);
    const limit = new Promise(resolve => setTimeout(resolve, this.#cleanupMs).unref());
    await Promise.race([Promise.allSettled([...this.#cleanups].map(cleanup => cleanup(this.#code))), limit]);
    leave(this.#code);
  }
}

function leave(code: number): never {
  closeLostTerminals();
  process.exit(code);
}
