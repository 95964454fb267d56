/** Progress of a download, in bytes of all its files; those already present count as done. */
export interface DownloadProgress {
  readonly doneBytes: number;
  readonly totalBytes: number;
  /** Over the last seconds; 0 while unknown. */
  readonly bytesPerSecond: number;
  /** undefined while unknown. */
  readonly secondsLeft: number | undefined;
  /** Everything has arrived and hashes are being checked. */
  readonly checking: boolean;
}

const WINDOW_MS = 5000;
const STEP_MS = 100;

/** Counts bytes and reports progress at most ten times a second. */
export class TransferMeter {
  readonly #onProgress: (progress: DownloadProgress) => void;
  readonly #now: () => number;
  #done = 0;
  #total = 0;
  #received = 0;
  #toldAt = Number.NEGATIVE_INFINITY;
  /** Times and received bytes within the window. */
  readonly #marks: { at: number; received: number }[] = [];

  /** @param now milliseconds; for tests */
  constructor(onProgress: (progress: DownloadProgress) => void = () => {}, now = () => performance.now()) {
    this.#onProgress = onProgress;
    this.#now = now;
  }

  /** Bytes from the network. */
  get received(): number {
    return this.#received;
  }

  get total(): number {
    return this.#total;
  }

  /** Adds files, of which `done` bytes are present. */
  expect(total: number, done: number): void {
    this.#total += total;
    this.#done += done;
  }

  receive(bytes: number): void {
    this.#done += bytes;
    this.#received += bytes;
    this.#tell(false);
  }

  /** Subtracts bytes that turned out useless. */
  discard(bytes: number): void {
    this.#done -= bytes;
  }

  checking(): void {
    if (this.#done >= this.#total) this.#tell(true);
  }

  #tell(checking: boolean): void {
    const at = this.#now();
    if (!checking && at - this.#toldAt < STEP_MS) return;
    this.#toldAt = at;
    this.#marks.push({ at, received: this.#received });
    while ((this.#marks[0]?.at ?? at) < at - WINDOW_MS) this.#marks.shift();
    const bytesPerSecond = this.#rate();
    const left = this.#total - this.#done;
    this.#onProgress({
      doneBytes: this.#done,
      totalBytes: this.#total,
      bytesPerSecond,
      secondsLeft: bytesPerSecond > 0 ? left / bytesPerSecond : undefined,
      checking,
    });
  }

  #rate(): number {
    const [first] = this.#marks;
    const last = this.#marks.at(-1);
    if (!first || !last || last.at <= first.at) return 0;
    return ((last.received - first.received) * 1000) / (last.at - first.at);
  }
}
