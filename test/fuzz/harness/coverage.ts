import { Session } from 'node:inspector';

/** Blocks of our sources that have run, as V8 counts them. Each is reported once. */
export class Coverage {
  readonly #session = new Session();
  readonly #files: RegExp;
  readonly #seen = new Set<string>();

  /** `once`: a block is told of when it first runs. `counted`: slower, and blocks that ran before it began count. */
  constructor(files: RegExp, mode: 'once' | 'counted' = 'once') {
    this.#files = files;
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.startPreciseCoverage', {
      callCount: mode === 'counted',
      detailed: true,
    });
  }

  /** How many blocks have run for the first time since the last call. */
  take(): number {
    const before = this.#seen.size;
    this.#session.post('Profiler.takePreciseCoverage', (error, { result }) => {
      if (error) throw error;
      for (const { url, functions } of result) {
        if (!this.#files.test(url)) continue;
        for (const { ranges } of functions) {
          for (const { startOffset, endOffset, count } of ranges) {
            if (count > 0) this.#seen.add(`${url}:${startOffset}-${endOffset}`);
          }
        }
      }
    });
    return this.#seen.size - before;
  }

  /** The share of the sources' characters that have run since the last call, 0 to 1. Only if counted. */
  share(): number {
    let [all, run] = [0, 0];
    this.#session.post('Profiler.takePreciseCoverage', (error, { result }) => {
      if (error) throw error;
      for (const { url, functions } of result) {
        if (!this.#files.test(url)) continue;
        const ranges = functions.flatMap(one => one.ranges);
        const ran = new Uint8Array(Math.max(...ranges.map(({ endOffset }) => endOffset)));
        // What encloses a range comes before it.
        for (const { startOffset, endOffset, count } of ranges)
          ran.fill(Math.min(count, 1), startOffset, endOffset);
        all += ran.length;
        run += ran.reduce((sum, one) => sum + one, 0);
      }
    });
    return all > 0 ? run / all : 0;
  }

  get blocks(): number {
    return this.#seen.size;
  }

  close(): void {
    this.#session.disconnect();
  }
}
