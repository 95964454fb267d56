import { LlmHostError, messageOf } from '../../../errors.ts';
import { readTextFile } from '../../../text/files/read-text-file.ts';
import { readTypedJson } from '../cases/typed-values.ts';

const MAX_BYTES = 64 * 1024 * 1024;

/** A file with a JSON value on each line. @throws LlmHostError CONFIG if it cannot be read */
export function readLines<T>(path: string): T[] {
  let text: string;
  try {
    text = readTextFile(path, MAX_BYTES);
  } catch (error) {
    throw new LlmHostError('CONFIG', messageOf(error), { cause: error });
  }
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    try {
      return [readTypedJson(line) as T];
    } catch (error) {
      throw damaged(path, `line ${index + 1}: ${messageOf(error)}`, error);
    }
  });
}

export function damaged(path: string, what: string, cause: unknown): LlmHostError {
  return new LlmHostError('CONFIG', `${path}: ${what}`, {
    cause,
    hint: 'Remove its folder; it is then fetched again.',
  });
}
