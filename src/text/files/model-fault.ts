import { basename } from 'node:path';
import { LlmHostError } from '../../errors.ts';
import { stripControls } from '../clean/strip-controls.ts';

/** MODEL_BROKEN naming the file; `what` continues the sentence. */
export function broken(
  path: string,
  what: string,
  options: { hint?: string; cause?: unknown } = {},
): LlmHostError {
  return new LlmHostError('MODEL_BROKEN', printable(`${basename(path)} ${what}`), {
    hint: `The file is ${path}`,
    ...options,
  });
}

/** MODEL_UNSUPPORTED naming the file; `what` continues the sentence. */
export function unsupported(path: string, what: string, hint = `The file is ${path}`): LlmHostError {
  return new LlmHostError('MODEL_UNSUPPORTED', printable(`${basename(path)} ${what}`), { hint });
}

/** The file ends before the data its header promises. */
export function truncated(path: string, needed: number, size: number, tensor?: string): LlmHostError {
  const whose = tensor === undefined ? '' : ` (tensor ${tensor})`;
  return broken(path, `is truncated${whose}: needs ${needed} bytes, file has ${size}. Download it again.`);
}

const MAX_MESSAGE = 500;

/** Messages quote the file, which may be hostile: keep them to one line, without control sequences or endless names. */
function printable(message: string): string {
  const line = stripControls(message).replace(/\s+/g, ' ');
  return line.length > MAX_MESSAGE ? `${line.slice(0, MAX_MESSAGE)}...` : line;
}
