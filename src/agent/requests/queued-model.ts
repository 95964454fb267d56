import type { ReplyStats } from '../events/turn-event.ts';
import type { ChatModel } from '../model/chat-model.ts';
import { withReply } from './with-reply.ts';

/** Waits for the engine; undefined once `signal` aborts. Call what it returns to free the engine. */
export type Acquire = (signal?: AbortSignal) => Promise<(() => void) | undefined>;

const CANCELLED: ReplyStats = {
  promptTokens: 0,
  cachedTokens: 0,
  generatedTokens: 0,
  firstTokenMs: 0,
  prefillMs: 0,
  decodeMs: 0,
  finishReason: 'cancelled',
};

/** The same model, acquired before each reply and freed after it. */
export function queuedModel(model: ChatModel, acquire: Acquire): ChatModel {
  return withReply(model, async function* (request) {
    const release = await acquire(request.signal);
    if (!release) return CANCELLED;
    try {
      return yield* model.reply(request);
    } finally {
      release();
    }
  });
}
