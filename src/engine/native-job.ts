import type { NativeEvent, NativeModel, NativeRequest } from '../native/addon-types.ts';

type LastEvent = Extract<NativeEvent, { type: 'end' | 'error' }>;

/**
 * A native generation as a pull stream. Events are only taken on demand, so a slow reader fills the native queue and
 * the model waits.
 */
export class NativeJob {
  readonly #model: NativeModel;
  readonly #id: number;
  #waiting: NativeEvent[] = [];
  #wake: (() => void) | undefined;
  #ended = false;

  /** @throws what `NativeModel.start` throws. */
  constructor(model: NativeModel, request: NativeRequest) {
    this.#model = model;
    this.#id = model.start(request, () => this.#wake?.());
  }

  /** The next event. Must not be called after the last one. */
  async next(): Promise<NativeEvent> {
    while (this.#waiting.length === 0) {
      // Before taking events: one announced afterwards must not be missed.
      const ready = new Promise<void>(resolve => {
        this.#wake = resolve;
      });
      this.#waiting = this.#model.take(this.#id).reverse();
      if (this.#waiting.length === 0) await ready;
    }
    const event = this.#waiting.pop() as NativeEvent;
    this.#ended = isLast(event);
    return event;
  }

  /** Ends the job within a step; no effect once it has ended. */
  cancel(): void {
    if (!this.#ended) this.#model.cancel(this.#id);
  }

  /** Cancels the job and discards what is left of it. */
  async dispose(): Promise<void> {
    this.cancel();
    while (!this.#ended) await this.next();
  }
}

function isLast(event: NativeEvent): event is LastEvent {
  return event.type === 'end' || event.type === 'error';
}
