import { LlmHostError } from '../errors.ts';
import { TimeLimitError, withinTime } from '../text/time-limit.ts';

/** The patterns of a published tokenizer need some 0.5 µs a character; a hostile one may need hours for thirty. */
const BASE_MS = 2000;
const MS_PER_CHARACTER = 0.02;

/** Runs `encode`, which reads text of this length with the model folder's own patterns. @throws LlmHostError MODEL_BROKEN */
export function limitedEncode<T>(length: number, encode: () => T): T {
  try {
    return withinTime(Math.ceil(BASE_MS + length * MS_PER_CHARACTER), encode);
  } catch (error) {
    if (!(error instanceof TimeLimitError)) throw error;
    const message = `The tokenizer was stopped: ${error.message} for ${length} characters`;
    throw new LlmHostError('MODEL_BROKEN', message, {
      hint: 'A pattern of its normalizer or pre-tokenizer in tokenizer.json does not come to an end. Take another copy of the model.',
      cause: error,
    });
  }
}
