import { LlmHostError } from '../errors.ts';

/** `config.json` where it is not a part of a path. */
const BARE_NAME = /(?<![\w./\\-])config\.json\b/g;

/** An error of the engine, which knows the configuration as config.json only, with the file's own path. */
export function withConfigFile(error: LlmHostError, file: string): LlmHostError {
  const message = error.message.replace(BARE_NAME, () => file);
  return new LlmHostError(error.code, message, { ...(error.hint && { hint: error.hint }), cause: error });
}
