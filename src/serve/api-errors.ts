import type { IncomingHttpHeaders } from 'node:http';
import { anthropicError, anthropicStatus } from './anthropic/error.ts';
import type { ApiError } from './http/api-error.ts';
import { errorBody } from './openai/chat-format.ts';

export type ApiName = 'openai' | 'ollama' | 'anthropic';

/** Whose client this is: by the path, and for what several APIs have by the header that Anthropic's clients send. */
export function apiOf(path: string, headers: IncomingHttpHeaders): ApiName {
  if (path.startsWith('/api/')) return 'ollama';
  const anthropic = /^(\/v1)?\/messages(?=[/?]|$)/.test(path) || isAnthropic(headers);
  return anthropic ? 'anthropic' : 'openai';
}

export function isAnthropic(headers: IncomingHttpHeaders): boolean {
  return headers['anthropic-version'] !== undefined;
}

/** An error in the shape of an API. */
export function shapedError(api: ApiName, error: ApiError, id: string | null) {
  const { status } = error;
  if (api === 'ollama') return { status, body: { error: error.message } };
  if (api === 'openai') return { status, body: errorBody(error) };
  return { status: anthropicStatus(error), body: anthropicError(error, id) };
}

/** The error as the last event of a stream. */
export function streamedError(api: ApiName, error: ApiError, id: string | null): string {
  const json = JSON.stringify(shapedError(api, error, id).body);
  if (api === 'ollama') return `${json}\n`;
  return `${api === 'anthropic' ? 'event: error\n' : ''}data: ${json}\n\n`;
}
