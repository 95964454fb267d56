/** Why a request failed, in words for the user. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  /** 0: no answer came. */
  readonly status: number;
  readonly code: string | undefined;

  constructor(status: number, message: string, code?: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const GONE = 'The server does not answer. Is llm-host serve still running?';

/** For anything that a request or the reading of its stream has thrown. */
export function failureOf(error: unknown): ApiFailure {
  return error instanceof ApiFailure ? error : new ApiFailure(0, GONE);
}

/** For OpenAI's error object, or what something between us and the server says. */
export function refusalOf(status: number, body: unknown): ApiFailure {
  const { error } = (typeof body === 'object' && body !== null ? body : {}) as { error?: unknown };
  const { message, code } = (typeof error === 'object' && error !== null ? error : {}) as {
    message?: unknown;
    code?: unknown;
  };
  const said = typeof message === 'string' && message !== '' ? message : `The server answers ${status}.`;
  return new ApiFailure(status, said, typeof code === 'string' ? code : undefined);
}
