import type { RequestTurn } from '../../agent/requests/request-turn.ts';
import type { RequestTurns } from '../../agent/requests/request-turns.ts';
import { toldTokens } from '../../tokens/estimated-tokens.ts';
import { ApiError } from '../http/api-error.ts';

/** Refuses a conversation that is too long before it takes a place in the queue. Throws ApiError 400. */
export function checkContext(
  { contextLength }: Pick<RequestTurns, 'contextLength'>,
  turn: Pick<RequestTurn, 'countTokens' | 'whatTakesRoom'>,
  param = 'messages',
): void {
  const tokens = turn.countTokens();
  if (tokens < contextLength) return;
  throw new ApiError(
    400,
    `The prompt has ${toldTokens(tokens, contextLength)} tokens, but the context holds ${contextLength}: ${turn.whatTakesRoom()}; shorten the conversation or offer fewer tools`,
    { code: 'context_length_exceeded', param },
  );
}
