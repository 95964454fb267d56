import type { RequestTurns, TurnRequest } from '../../agent/requests/request-turns.ts';
import { ApiError } from '../http/api-error.ts';

/** Before a place is taken: a conversation that is too long is refused at once. Throws ApiError 400. */
export function checkContext(
  turns: Pick<RequestTurns, 'countTokens' | 'contextLength'>,
  turn: Omit<TurnRequest, 'acquire' | 'signal'>,
  param = 'messages',
): void {
  if (turn.overflow !== 'stop') return;
  const tokens = turns.countTokens(turn);
  if (tokens < turns.contextLength) return;
  throw new ApiError(
    400,
    `The prompt has ${tokens} tokens, but the context holds ${turns.contextLength}; shorten the conversation`,
    { code: 'context_length_exceeded', param },
  );
}
