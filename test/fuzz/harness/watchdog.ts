import { Worker } from 'node:worker_threads';

const SCRIPT = `
const { workerData: { shared, limits, folder } } = require('node:worker_threads');
const { writeFileSync, writeSync, mkdirSync } = require('node:fs');
const { join } = require('node:path');
const [count, length] = [new Int32Array(shared, 0, 1), new Int32Array(shared, 4, 1)];
const cpuMs = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
let last = -1;
let since = cpuMs();
setInterval(() => {
  const now = Atomics.load(count, 0);
  if (now !== last || now % 2 === 0) [last, since] = [now, cpuMs()];
  else if (cpuMs() - since > 2 * limits.ms) {
    mkdirSync(folder, { recursive: true });
    const path = join(folder, 'hang-' + Date.now());
    writeFileSync(path, Buffer.from(shared, 8, length[0]));
    writeSync(2, 'an input runs for more than ' + 2 * limits.ms + ' ms: ' + path + '\\n');
    process.kill(process.pid, 'SIGKILL');
  }
}, 50);
`;
const MAX_INPUT = 64 * 1024;
/** So old may the count of CPU time be that an input begins with. */
const COUNT_MS = 20;

/** Of this process: how long others keep the processor is no fault of an input. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Times inputs by the processor. From another thread, so that an input that never returns is kept in a file and ends the
 * process at twice the limit.
 */
export class Watchdog {
  readonly #shared = new SharedArrayBuffer(8 + MAX_INPUT);
  readonly #count = new Int32Array(this.#shared, 0, 1);
  readonly #length = new Int32Array(this.#shared, 4, 1);
  readonly #input = new Uint8Array(this.#shared, 8);
  readonly #worker: Worker;
  readonly #limitMs: number;
  /** By the clock, and the CPU time at most COUNT_MS before: asking for it takes longer than many an input. */
  #since = 0;
  #counted = { at: Number.NEGATIVE_INFINITY, cpuMs: 0 };

  constructor(limitMs: number, folder: string) {
    this.#limitMs = limitMs;
    this.#worker = new Worker(SCRIPT, {
      eval: true,
      workerData: { shared: this.#shared, limits: { ms: limitMs }, folder },
    });
    this.#worker.unref();
  }

  begin(input: Uint8Array): void {
    this.#length[0] = Math.min(input.length, MAX_INPUT);
    this.#input.set(input.subarray(0, MAX_INPUT));
    this.#since = performance.now();
    if (this.#since - this.#counted.at > COUNT_MS) this.#counted = { at: this.#since, cpuMs: cpuMs() };
    // Odd while an input runs, and another number for each; one that was stopped did not end.
    Atomics.add(this.#count, 0, this.#isRunning() ? 2 : 1);
  }

  /** @returns milliseconds since it began: of the processor, if by the clock it took longer than the limit */
  end(): number {
    let ms = performance.now() - this.#since;
    if (ms > this.#limitMs) ms = cpuMs() - this.#counted.cpuMs;
    if (this.#isRunning()) Atomics.add(this.#count, 0, 1);
    return ms;
  }

  #isRunning(): boolean {
    return Atomics.load(this.#count, 0) % 2 === 1;
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}
