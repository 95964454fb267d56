/** How long a call takes without the time in which the user was asked something. */
export class CallClock {
  readonly #started = performance.now();
  #waitedMs = 0;
  #waitingSince: number | undefined;

  /** The user has been asked about the call for so long. */
  addWait(ms: number): void {
    this.#waitedMs += ms;
  }

  /** The call's server begins or ends to wait for the user. */
  setWaiting(waiting: boolean): void {
    const now = performance.now();
    if (waiting) {
      this.#waitingSince ??= now;
    } else if (this.#waitingSince !== undefined) {
      this.addWait(now - this.#waitingSince);
      this.#waitingSince = undefined;
    }
  }

  get seconds(): number {
    const now = performance.now();
    return Math.max(0, (this.#waitingSince ?? now) - this.#started - this.#waitedMs) / 1000;
  }
}
