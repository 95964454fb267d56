/**
 * Values in one message. JSON of 10 MB can hold millions, which block the event loop for most of a second while they
 * are read, and take a hundred bytes of memory each.
 */
export const MAX_VALUES = 400_000;

const [QUOTE, BACKSLASH, NEWLINE, COMMA, LIST, OBJECT] = [0x22, 0x5c, 0x0a, 0x2c, 0x5b, 0x7b];

/** Counts the values of a JSON text as its bytes arrive, by the commas and brackets outside its strings. */
export class ValueCount {
  #count = 0;
  #inString = false;
  #escaped = false;

  /** Whether there are too many by now. */
  push(bytes: Uint8Array): boolean {
    for (let at = 0; at < bytes.length && this.#count <= MAX_VALUES; at++) {
      const byte = bytes[at];
      if (this.#escaped) this.#escaped = false;
      else if (byte === QUOTE) this.#inString = !this.#inString;
      // No string of JSON holds one: what came before was no JSON, such as another field of an event.
      else if (byte === NEWLINE) this.#inString = false;
      else if (this.#inString) this.#escaped = byte === BACKSLASH;
      else if (byte === COMMA || byte === LIST || byte === OBJECT) this.#count += 1;
    }
    return this.#count > MAX_VALUES;
  }

  /** Another message begins. */
  reset(): void {
    this.#count = 0;
    this.#inString = false;
    this.#escaped = false;
  }
}

/** Whether a whole message holds too many. Short ones cannot. */
export function hasTooManyValues(text: string): boolean {
  return text.length > MAX_VALUES && new ValueCount().push(Buffer.from(text));
}
