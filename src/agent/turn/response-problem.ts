import { type ResponseFormat, responseProblems } from '../../grammar/response-format.ts';
import type { TurnEvent } from '../events/turn-event.ts';

/** `auto`: once the model has failed at a call; `always`; `off`: never. */
export type ConstrainMode = 'auto' | 'always' | 'off';

/** Tells that a reply does not fit its format, which a cut reply may not, nor one with a rule that no grammar knows. */
export function* formatError(format: ResponseFormat, reply: string, cut: boolean): Generator<TurnEvent> {
  const problems = responseProblems(format, reply);
  const [first] = problems;
  if (!first) return;
  const { path, expected, got } = first;
  yield {
    type: 'error',
    code: 'RESPONSE_FORMAT',
    message: `The reply does not fit the schema: ${path}: expected ${expected}${got === undefined ? '' : `, got ${got}`}`,
    ...(cut && { hint: 'It was cut off; raise --max-tokens or --context.' }),
  };
}
