import type { TextTokens } from '../engine/encoder.ts';
import { LlmHostError } from '../errors.ts';
import type { SpecialFrame } from '../tokens/special-frame.ts';
import type { Tokenizer } from '../tokens/tokenizer-types.ts';

/** A text, or its tokens without the special ones. */
export type TextInput = string | readonly number[];

export interface ReadOptions {
  /** Cut what is too long, instead of refusing it. Default true. */
  readonly truncate?: boolean | undefined;
  /** For messages: `input[3]`. */
  readonly name?: string;
}

/** UTF-16 units for each token that can be read: of a longer text at first only so much is tokenized. */
const UNITS_PER_TOKEN = 16;
/** Tokens next to a cut that may be others than in the whole text. */
const MARGIN = 16;

/** Turns texts into what an encoder reads: tokens, cut to what fits, with the special ones around them. */
export class TextReader {
  readonly #tokenizer: Tokenizer;
  readonly #frame: SpecialFrame;
  readonly #maxTokens: number;

  /** `maxTokens`: of a text, special ones included. */
  constructor(tokenizer: Tokenizer, frame: SpecialFrame, maxTokens: number) {
    this.#tokenizer = tokenizer;
    this.#frame = frame;
    this.#maxTokens = maxTokens;
  }

  /** @throws LlmHostError CONTEXT_FULL without `truncate`; USAGE for tokens that the model does not have, or none */
  read(text: TextInput, { truncate = true, name = 'the text' }: ReadOptions = {}): TextTokens {
    const room = this.#room(this.#frame.singleExtra);
    const ids = this.#tokens(text, room, name);
    if (ids.length > room && !truncate) throw this.#tooLong(name);
    const tokens = this.#frame.single(ids.slice(0, room));
    if (tokens.ids.length > 0) return tokens;
    throw new LlmHostError('USAGE', `${name} has no tokens`);
  }

  /** A pair of texts; what is too long is cut from the longer one first, as the reference does. */
  readPair(first: string, second: string): TextTokens {
    const room = this.#room(this.#frame.pairExtra);
    const [a, b] = [this.#tokens(first, room, 'query'), this.#tokens(second, room, 'document')];
    const half = a.length > b.length ? Math.ceil(room / 2) : Math.floor(room / 2);
    const kept = Math.min(a.length, Math.max(room - b.length, half));
    return this.#frame.pair(a.slice(0, kept), b.slice(0, room - kept));
  }

  #room(extra: number): number {
    return Math.max(0, this.#maxTokens - extra);
  }

  /** All tokens of a text; of one that is too long, more than fit. */
  #tokens(text: TextInput, room: number, name: string): readonly number[] {
    if (typeof text !== 'string') return this.#checked(text, name);
    for (let units = (room + MARGIN) * UNITS_PER_TOKEN; units < text.length; units *= 4) {
      const ids = this.#tokenizer.encode(text.slice(0, units));
      if (ids.length > room + MARGIN) return ids;
    }
    return this.#tokenizer.encode(text);
  }

  #checked(ids: readonly number[], name: string): readonly number[] {
    const last = this.#tokenizer.vocabSize - 1;
    const unknown = ids.find(id => !Number.isInteger(id) || id < 0 || id > last);
    if (unknown === undefined) return ids;
    throw new LlmHostError('USAGE', `${name}: the model has no token ${unknown}; its last is ${last}`);
  }

  #tooLong(name: string): LlmHostError {
    return new LlmHostError(
      'CONTEXT_FULL',
      `${name} has more than the ${this.#maxTokens} tokens that the model reads`,
      {
        hint: 'Split it, or let it be cut (truncate).',
      },
    );
  }
}
