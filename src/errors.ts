/** Process exit codes (sysexits where one fits). */
export const EXIT = {
  ok: 0,
  unexpected: 1,
  usage: 2,
  modelBroken: 65,
  modelNotFound: 66,
  unavailable: 69,
  outOfMemory: 71,
  refused: 77,
  config: 78,
} as const;

export type ErrorCode =
  | 'USAGE'
  | 'CONFIG'
  | 'MODEL_NOT_FOUND'
  | 'MODEL_BROKEN'
  | 'MODEL_UNSUPPORTED'
  | 'OUT_OF_MEMORY'
  | 'ENGINE'
  | 'ENGINE_UNAVAILABLE'
  | 'CONTEXT_FULL'
  | 'CACHE'
  | 'TEMPLATE'
  | 'RESPONSE_FORMAT'
  | 'MCP_SERVER'
  | 'TOOL_TIMEOUT'
  | 'TOOL_FAILED'
  | 'TOOL_REFUSED'
  | 'CANCELLED'
  | 'UNEXPECTED';

const EXIT_OF: Partial<Record<ErrorCode, number>> = {
  USAGE: EXIT.usage,
  CONFIG: EXIT.config,
  MODEL_NOT_FOUND: EXIT.modelNotFound,
  MODEL_BROKEN: EXIT.modelBroken,
  MODEL_UNSUPPORTED: EXIT.modelBroken,
  OUT_OF_MEMORY: EXIT.outOfMemory,
  ENGINE_UNAVAILABLE: EXIT.unavailable,
  MCP_SERVER: EXIT.unavailable,
  TOOL_REFUSED: EXIT.refused,
};

/**
 * An error that a person or a program can act on: `message` says what and where, `hint` says what to do
 * (one or more whole lines, printed below the message).
 */
export class LlmHostError extends Error {
  override readonly name = 'LlmHostError';
  readonly code: ErrorCode;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
  }

  /** The process exit code for this error. */
  get exitCode(): number {
    return EXIT_OF[this.code] ?? EXIT.unexpected;
  }
}

/** The message of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
