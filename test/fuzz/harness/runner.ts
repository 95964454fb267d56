import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LlmHostError } from '../../../src/errors.ts';
import { TimeLimitError, withinTime } from '../../../src/text/time-limit.ts';
import { ConsoleWatch } from './console-watch.ts';
import type { FuzzTarget } from './target.ts';
import { Watchdog } from './watchdog.ts';

const FINDINGS = fileURLToPath(new URL('../../../build/fuzz/', import.meta.url));
const DEFAULT_LIMIT_MS = 2000;
/** So many inputs share one limit of time, since each limit costs as much as a short input. */
const GROUP = { inputs: 64, limitMs: 3000 };

/** An input with which a target broke; the message names the file that holds it. */
export class Finding extends Error {}

/** Runs inputs, each watched: what it throws, what it prints, how long it takes. */
export class Runner {
  /** Inputs that the target refused, as it may. */
  refused = 0;
  readonly #target: FuzzTarget;
  readonly #limitMs: number;
  readonly #console = new ConsoleWatch();
  readonly #watchdog: Watchdog;

  constructor(target: FuzzTarget) {
    this.#target = target;
    this.#limitMs = target.limitMs ?? DEFAULT_LIMIT_MS;
    this.#watchdog = new Watchdog(this.#limitMs, join(FINDINGS, target.name));
  }

  /** @throws Finding */
  async runAll(inputs: readonly Uint8Array[]): Promise<void> {
    let at = 0;
    while (at < inputs.length) {
      at += this.#runGroup(inputs.slice(at, at + GROUP.inputs));
      // One that waits, or that was stopped by the group's limit, runs alone and under its own.
      if (at < inputs.length) await this.run(inputs[at++] as Uint8Array);
    }
  }

  /** @returns whether the target took it; @throws Finding */
  async run(input: Uint8Array): Promise<boolean> {
    try {
      const running = this.#start(input);
      if (running) await running;
      return this.#ended(input);
    } catch (error) {
      return this.#failed(input, error);
    }
  }

  /** @returns how many were run, fewer than all if one would have to be awaited or takes long. */
  #runGroup(inputs: readonly Uint8Array[]): number {
    let done = 0;
    if (this.#target.waits) return 0;
    try {
      withinTime(GROUP.limitMs, () => {
        for (const input of inputs) {
          try {
            void this.#start(input);
            this.#ended(input);
          } catch (error) {
            this.#failed(input, error);
          }
          done += 1;
        }
      });
    } catch (error) {
      if (!(error instanceof TimeLimitError)) throw error;
    }
    return done;
  }

  #start(input: Uint8Array): void | Promise<void> {
    this.#watchdog.begin(input);
    return this.#target.run(input);
  }

  #ended(input: Uint8Array): true {
    const ms = this.#watchdog.end();
    if (ms > this.#limitMs) throw this.#finding(input, `took ${ms.toFixed(0)} ms`);
    this.#console.check();
    return true;
  }

  /** A refusal is none of its faults. */
  #failed(input: Uint8Array, error: unknown): false {
    if (error instanceof Finding) throw error;
    if (!(error instanceof LlmHostError)) throw this.#finding(input, String(error), error);
    this.refused += 1;
    try {
      this.#ended(input);
    } catch (late) {
      throw late instanceof Finding ? late : this.#finding(input, String(late), late);
    }
    return false;
  }

  #finding(input: Uint8Array, what: string, cause?: unknown): Finding {
    const folder = join(FINDINGS, this.#target.name);
    mkdirSync(folder, { recursive: true });
    const path = join(folder, createHash('sha256').update(input).digest('hex').slice(0, 12));
    writeFileSync(path, input);
    return new Finding(`${this.#target.name}: ${what}\n  the input is in ${path}`, { cause });
  }

  async close(): Promise<void> {
    this.#console.close();
    await this.#watchdog.close();
  }
}
