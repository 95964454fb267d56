import { errorEvent, type TurnEvent } from '../events/turn-event.ts';
import type { ChatModel, ReplyRequest } from '../model/chat-model.ts';

/** Continues a text, without template or tools, as a turn. A failure is its last event. */
export async function* completionTurn(
  model: ChatModel,
  request: Pick<ReplyRequest, 'text' | 'textIds' | 'sampling' | 'logprobs' | 'signal'>,
): AsyncGenerator<TurnEvent> {
  const reply = model.reply({ messages: [], tools: [], ...request });
  let said = '';
  try {
    for (let step = await reply.next(); ; step = await reply.next()) {
      if (step.done) {
        const cancelled = step.value.finishReason === 'cancelled';
        yield { type: 'stats', stats: step.value };
        yield { type: 'assistant', text: said, cancelled };
        return;
      }
      if (step.value.type === 'prefill') yield step.value;
      if (step.value.type !== 'content') continue;
      said += step.value.text;
      yield { ...step.value, type: 'token' };
    }
  } catch (error) {
    yield errorEvent(error);
  }
}
