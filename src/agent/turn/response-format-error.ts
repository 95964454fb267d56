import { type ResponseFormat, responseProblems } from '../../grammar/response-format.ts';
import type { TurnEvent } from '../events/turn-event.ts';

/** An error event if the reply does not fit: it may be cut off, or break a rule that no grammar can express. */
export function* responseFormatError(
  format: ResponseFormat,
  reply: string,
  cut: boolean,
): Generator<TurnEvent> {
  const [first] = responseProblems(format, reply);
  if (!first) return;
  const { path, expected, got } = first;
  yield {
    type: 'error',
    code: 'RESPONSE_FORMAT',
    message: `The reply does not fit the schema: ${path}: expected ${expected}${got === undefined ? '' : `, got ${got}`}`,
    ...(cut && { hint: 'It was cut off; raise --max-tokens or --context.' }),
  };
}
