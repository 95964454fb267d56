import { resolve } from 'node:path';
import { LlmHostError, messageOf } from '../../errors.ts';
import { readTextFile } from '../../text/files/read-text-file.ts';

/** No context holds more. */
const MAX_SYSTEM_BYTES = 16 * 1024 * 1024;

/** `--system TEXT` or `--system @FILE`. */
export function systemText(option: string, cwd: string): string {
  if (!option.startsWith('@')) return option;
  const path = resolve(cwd, option.slice(1));
  try {
    return readTextFile(path, MAX_SYSTEM_BYTES, { pipes: true }).trimEnd();
  } catch (error) {
    throw new LlmHostError('USAGE', `--system: ${path} cannot be read (${messageOf(error)})`);
  }
}
