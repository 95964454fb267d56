import { type Key, KeyDecoder } from './keys.ts';

/** An escape followed by nothing for this long is the Esc key, not the start of a sequence. */
const ESCAPE_MS = 40;
const NEWLINE = 10;
const RETURN = 13;

export interface KeyboardListener {
  readonly onKeys: (keys: readonly Key[]) => void;
  /** The terminal went away. */
  readonly onEnd: () => void;
}

/** Reads keys from a terminal in raw mode, from `open` to `close`. */
export class Keyboard {
  readonly #input: NodeJS.ReadStream;
  readonly #listener: KeyboardListener;
  readonly #decoder = new KeyDecoder();
  #escape: NodeJS.Timeout | undefined;
  #typedAhead = false;

  constructor(input: NodeJS.ReadStream, listener: KeyboardListener) {
    this.#input = input;
    this.#listener = listener;
  }

  open(): void {
    this.#input.setRawMode(true);
    this.#input.on('data', this.#read);
    this.#input.on('end', this.#listener.onEnd);
    // A terminal that goes away may end the reading so, before a write fails.
    this.#input.on('error', this.#listener.onEnd);
    this.#input.resume();
    // Input typed before raw mode arrives within two iterations of the event loop.
    this.#typedAhead = true;
    setImmediate(() =>
      setImmediate(() => {
        this.#typedAhead = false;
      }),
    );
  }

  close(): void {
    this.#input.off('data', this.#read);
    this.#input.off('end', this.#listener.onEnd);
    this.#input.off('error', this.#listener.onEnd);
    this.#input.setRawMode(false);
    this.#input.pause();
  }

  readonly #read = (bytes: Buffer): void => {
    clearTimeout(this.#escape);
    // Typed before raw mode, Enter was turned into a newline, which would be Ctrl+J here.
    const typed = this.#typedAhead ? bytes.map(byte => (byte === NEWLINE ? RETURN : byte)) : bytes;
    this.#listener.onKeys(this.#decoder.push(typed));
    if (!this.#decoder.undecided) return;
    this.#escape = setTimeout(() => this.#listener.onKeys(this.#decoder.flush()), ESCAPE_MS);
  };
}
