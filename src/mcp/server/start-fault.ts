import { SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { LlmHostError, messageOf } from '../../errors.ts';
import type { ServerConfig } from '../config/types.ts';
import { isServerAnswer } from '../transport/json-rpc.ts';
import { cleanLine, TEXT_LIMITS, withReadableIssues } from './incoming-text.ts';

const MAX_STRAY_CHARS = 200;

interface FailedStart {
  readonly server: string;
  /** Why the server is gone; undefined: it runs. */
  readonly ending: string | undefined;
  readonly timedOutAfterMs: number | undefined;
  readonly stderrTail: string;
  /** The first line it printed in place of messages. */
  readonly strayLine: string | undefined;
}

/** The message to the user about a server that did not start. */
export function startFailure(error: unknown, failed: FailedStart): LlmHostError {
  const { server, ending, timedOutAfterMs, stderrTail, strayLine } = failed;
  const reason =
    ending !== undefined
      ? `${ending} during its start`
      : timedOutAfterMs !== undefined
        ? `did not answer within ${(timedOutAfterMs / 1000).toFixed(1)}s of its start`
        : `could not be started: ${startFault(error)}`;
  const stray = strayLine === undefined ? '' : cleanLine(strayLine, MAX_STRAY_CHARS);
  const printed = stray === '' ? '' : `\nIts stdout, which is for messages of the protocol, says: ${stray}`;
  const hint = ownError(error)?.hint;
  return new LlmHostError('MCP_SERVER', `server '${server}' ${reason}${printed}${quoteTail(stderrTail)}`, {
    cause: error,
    ...(hint !== undefined && { hint }),
  });
}

/** The tail of stderr, to append to a message; '' if there is none. */
export function quoteTail(tail: string): string {
  return tail === '' ? '' : `\nIts last output:\n${tail.replace(/^/gm, '  ')}`;
}

/** The message, with the hint on its own line. */
export function withHint(error: unknown, config: ServerConfig): string {
  const hint = error instanceof LlmHostError ? error.hint : undefined;
  if (hint === undefined) return messageOf(error);
  const where = 'where' in config && config.where ? `\nIts entry: ${config.where}` : '';
  return `${messageOf(error)}\n${hint}${where}`;
}

/** Why the handshake failed, on one line. */
function startFault(error: unknown): string {
  // How the SDK asks first is of no interest.
  const message = messageOf(error).replace(/^Version negotiation probe failed: /, '');
  return cleanLine(withReadableIssues(message), TEXT_LIMITS.error);
}

/** Ours, which says what to do: the SDK wraps what stops its question for the newer era. */
function ownError(error: unknown): LlmHostError | undefined {
  let cause = error;
  for (let depth = 0; depth < 5 && cause instanceof Error; depth++) {
    if (cause instanceof LlmHostError) return cause;
    ({ cause } = cause);
  }
  return undefined;
}

/** Whether the question for the newer era got no answer over HTTP, or one that says that the server has failed. */
export function isFailedProbe(error: unknown): boolean {
  const cause = error instanceof LlmHostError ? error.cause : undefined;
  if (cause instanceof SdkHttpError) return cause.code === SdkErrorCode.EraNegotiationFailed;
  return cause instanceof SdkError && cause.code === SdkErrorCode.RequestTimeout;
}

/** Whether the server answered the greeting, and with a refusal. */
export function isRefusedGreeting(error: unknown): boolean {
  const cause = error instanceof LlmHostError ? error.cause : undefined;
  return isServerAnswer(cause) || cause instanceof SdkHttpError;
}
