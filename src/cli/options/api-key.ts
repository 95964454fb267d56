import { resolve } from 'node:path';
import { LlmHostError, messageOf } from '../../errors.ts';
import { readTextFile } from '../../text/files/read-text-file.ts';

const MAX_BYTES = 64 * 1024;

/** `--api-key KEY` or `--api-key @FILE`, else LLM_HOST_API_KEY. Throws LlmHostError USAGE. */
export function apiKeyOf(option: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  const given = option ?? env.LLM_HOST_API_KEY;
  if (given === undefined) return undefined;
  // No header keeps the white space around it.
  const key = (given.startsWith('@') ? readKey(given.slice(1)) : given).trim();
  if (key === '') throw new LlmHostError('USAGE', '--api-key is empty');
  if (!/^[ -~]+$/.test(key))
    throw new LlmHostError('USAGE', '--api-key has a character that is not ASCII', {
      hint: 'Clients send it in different ways, so the right key would be refused.',
    });
  return key;
}

function readKey(file: string): string {
  const path = resolve(file);
  try {
    return readTextFile(path, MAX_BYTES, { pipes: true }).trim();
  } catch (error) {
    throw new LlmHostError('USAGE', `--api-key: ${path} cannot be read (${messageOf(error)})`);
  }
}
