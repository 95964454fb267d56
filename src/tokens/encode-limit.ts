import { LlmHostError } from '../errors.ts';
import { TimeLimitError, withinWork } from '../text/time-limit.ts';

/**
 * CPU time. Published tokenizers take about 0.5 µs per character; a hostile pattern may take hours for thirty
 * characters.
 */
const BASE_MS = 2000;
const MS_PER_CHARACTER = 0.02;

/**
 * Runs `encode`, which applies the model folder's own patterns to text of this length. @throws LlmHostError
 * MODEL_BROKEN
 */
export function limitedEncode<T>(length: number, encode: () => T): T {
  try {
    return withinWork(Math.ceil(BASE_MS + length * MS_PER_CHARACTER), encode);
  } catch (error) {
    if (!(error instanceof TimeLimitError)) throw error;
    const message = `The tokenizer was stopped: ${error.message} for ${length} characters`;
    throw new LlmHostError('MODEL_BROKEN', message, {
      hint: 'A pattern of its normalizer or pre-tokenizer in tokenizer.json never comes to an end. Get another copy of the model.',
      cause: error,
    });
  }
}
