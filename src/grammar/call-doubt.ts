/** A value of more tokens is a text of the model's own, which it could write in many ways. */
const MAX_TOKENS = 12;

interface Value {
  /** Natural log of the probability of its tokens together. */
  sum: number;
  tokens: number;
  /** The last of them. */
  latest: number;
}

/**
 * Whether a call is in doubt: a text, number, true, false or null in its arguments is less likely, by its own tokens
 * together, than a call has to be. What a model was told it copies with confidence; what it invents could be otherwise.
 * Reads the JSON of a call token by token.
 */
export class CallDoubt {
  /** Natural log of the least probability. */
  readonly #least: number;
  readonly #depth: number;
  readonly #open: string[] = [];
  #inText = false;
  #escaped = false;
  /** The next text is the name of a member. */
  #isKey = false;
  #value: Value | undefined;
  #tokens = 0;
  #logprob = 0;
  #isRaised = false;

  /**
   * @param confidence the least probability, above 0
   * @param depth how many objects are around the arguments' values, at least
   */
  constructor(confidence: number, depth: number) {
    this.#least = Math.log(confidence);
    this.#depth = depth;
  }

  get isRaised(): boolean {
    return this.#isRaised;
  }

  /** @param logprob undefined if the model did not choose the token, or not freely */
  push(text: string, logprob: number | undefined): void {
    this.#tokens += 1;
    this.#logprob = logprob ?? 0;
    for (const character of text) {
      if (this.#inText) this.#readText(character);
      else this.#readJson(character);
    }
  }

  #readText(character: string): void {
    if (this.#value) this.#count(this.#value);
    this.#inText = this.#escaped || character !== '"';
    this.#escaped = !this.#escaped && character === '\\';
    if (!this.#inText) this.#judge();
  }

  #readJson(character: string): void {
    switch (character) {
      case '"':
        this.#inText = true;
        if (!this.#isKey) this.#begin();
        break;
      case '{':
      case '[':
        this.#value = undefined;
        this.#open.push(character);
        this.#isKey = character === '{';
        break;
      case '}':
      case ']':
        this.#judge();
        this.#open.pop();
        break;
      case ',':
        this.#judge();
        this.#isKey = this.#open.at(-1) === '{';
        break;
      case ':':
        this.#isKey = false;
        break;
      default:
        if (character.trim() !== '') this.#begin();
    }
  }

  #begin(): void {
    this.#value ??= { sum: 0, tokens: 0, latest: 0 };
    this.#count(this.#value);
  }

  /** Each token once, however many of its characters are the value's. */
  #count(value: Value): void {
    if (value.latest === this.#tokens) return;
    value.sum += this.#logprob;
    value.tokens += 1;
    value.latest = this.#tokens;
  }

  /** The open value, if there is one, is whole. */
  #judge(): void {
    const value = this.#value;
    this.#value = undefined;
    if (!value || value.tokens > MAX_TOKENS) return;
    const depth = this.#open.filter(bracket => bracket === '{').length;
    this.#isRaised ||= depth >= this.#depth && value.sum < this.#least;
  }
}
