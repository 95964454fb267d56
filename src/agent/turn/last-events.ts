import type { ResponseFormat } from '../../grammar/response-format.ts';
import type { TurnEvent } from '../events/turn-event.ts';
import { cutNotice, type Reply } from './reply.ts';
import { responseFormatError } from './response-format-error.ts';

/** How a turn ends with a reply that calls no tool. */
export function* lastEvents(
  reply: Reply,
  said: string,
  format: ResponseFormat | undefined,
): Generator<TurnEvent> {
  const { finishReason } = reply.stats;
  const cancelled = finishReason === 'cancelled';
  yield* cutNotice(reply);
  yield { type: 'assistant', text: said, cancelled };
  if (format && !cancelled) yield* responseFormatError(format, reply.content, finishReason !== 'stop');
}
