const BEAT_MS = 1000;
/** Silent beats in a row after which the other side counts as gone. */
const MOST_SILENT = 5;

/**
 * Tells when nothing has been heard for a while. Beats are counted, not seconds: whoever was stopped or busy itself must
 * not take that for the other side's silence.
 */
export class Heartbeat {
  readonly #timer: NodeJS.Timeout;
  #silent = 0;

  /** @param onSilence called once, with the seconds */
  constructor(beat: () => void, onSilence: (seconds: number) => void, most = MOST_SILENT) {
    this.#timer = setInterval(() => {
      this.#silent += 1;
      if (this.#silent >= most) {
        this.stop();
        onSilence((most * BEAT_MS) / 1000);
      } else beat();
    }, BEAT_MS);
  }

  heard(): void {
    this.#silent = 0;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
