import type { ApiError } from '../http/api-error.ts';

const TYPE_OF: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
};

/** Anthropic's error object. */
export function anthropicError({ status, code, message }: ApiError, requestId: string | null = null) {
  const type = TYPE_OF[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
  // The words by which agents know that they have to shorten the conversation.
  const told = code === 'context_length_exceeded' ? `prompt is too long: ${message}` : message;
  return { type: 'error' as const, error: { type, message: told }, request_id: requestId };
}

/** Anthropic's status for a server that is too busy, or stopping, is one of its own. */
export function anthropicStatus({ status }: ApiError): number {
  return status === 503 ? 529 : status;
}
