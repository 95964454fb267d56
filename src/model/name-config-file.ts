import { LlmHostError } from '../errors.ts';

/** `config.json` that is not part of a path. */
const BARE_NAME = /(?<![\w./\\-])config\.json\b/g;

/** Puts the file's path into an error of the engine, which only knows it as config.json. */
export function withConfigFile(error: LlmHostError, file: string): LlmHostError {
  const message = error.message.replace(BARE_NAME, () => file);
  return new LlmHostError(error.code, message, { ...(error.hint && { hint: error.hint }), cause: error });
}
