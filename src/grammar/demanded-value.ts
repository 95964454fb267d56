/** Tokens that close an object, perhaps behind the end of a text or a list in it. */
const END_OF_OBJECT = /^\s*"?\s*\]*\s*\}/;

/** Whether this is how a model ends an object. */
export function endsObject(text: string): boolean {
  return END_OF_OBJECT.test(text);
}

/**
 * How likely a value is that a model gives only because the schema demands it, having ended the object without. It
 * reads the JSON from there on, token by token: the rest of the member before, a key, the value.
 */
export class DemandedValue {
  #inText: boolean;
  #escaped = false;
  #depth = 0;
  #part: 'before' | 'value' | 'behind' = 'before';
  #sum = 0;

  /** @param end what the model wrote to end the object */
  constructor(end: string) {
    this.#inText = end.trimStart().startsWith('"');
  }

  /** The value is there, whole; or the object ended after all. */
  get isOver(): boolean {
    return this.#part === 'behind';
  }

  /** Natural log of the probability of its tokens; 0 if there are none that the model chose. */
  get logprob(): number {
    return this.#sum;
  }

  /** @param logprob undefined for a token that had to be */
  push(text: string, logprob: number | undefined): void {
    let isOfValue = false;
    for (const character of text) {
      const began = this.#part === 'value';
      this.#read(character);
      isOfValue ||= began && this.#part === 'value' && character.trim() !== '';
    }
    if (isOfValue) this.#sum += logprob ?? 0;
  }

  #read(character: string): void {
    if (this.#part === 'behind') return;
    if (this.#inText) {
      this.#inText = this.#escaped || character !== '"';
      this.#escaped = !this.#escaped && character === '\\';
    } else if (character === '"') this.#inText = true;
    else if (this.#part === 'before') this.#readBefore(character);
    else this.#readValue(character);
  }

  #readBefore(character: string): void {
    if (character === ':') this.#part = 'value';
    else if (character === '}') this.#part = 'behind';
  }

  #readValue(character: string): void {
    if (character === '{' || character === '[') this.#depth += 1;
    else if (this.#depth === 0 && (character === ',' || character === '}')) this.#part = 'behind';
    else if (character === '}' || character === ']') this.#depth -= 1;
  }
}
