import type { PipedLine } from '../text/piped-lines.ts';

/** A line on stdin, parsed. */
export type JsonRequest =
  | { readonly type: 'prompt'; readonly text: string }
  /** A prompt or a built-in command, as if typed in the chat. */
  | { readonly type: 'line'; readonly text: string }
  | { readonly type: 'cancel' }
  | { readonly type: 'invalid'; readonly message: string };

/**
 * A line that begins with `{` is a request: `{"type":"prompt","text":"..."}`, whose text is never a command, or
 * `{"type":"cancel"}`. Any other line is handled as if typed in the chat. Undefined for an empty line.
 */
export function parseRequest({ text, notice }: PipedLine): JsonRequest | undefined {
  if (text.trim() === '') return undefined;
  if (notice !== undefined) return { type: 'invalid', message: notice };
  if (!text.trimStart().startsWith('{')) return { type: 'line', text };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { type: 'invalid', message: `The line is not valid JSON: ${(error as Error).message}` };
  }
  const request = value as { type?: unknown; text?: unknown };
  if (request.type === 'cancel') return { type: 'cancel' };
  if (request.type === 'prompt' && typeof request.text === 'string') {
    return { type: 'prompt', text: request.text };
  }
  return {
    type: 'invalid',
    message: 'A request is {"type":"prompt","text":"..."} or {"type":"cancel"}',
  };
}
