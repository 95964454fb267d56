import { notAChatModel } from '../model/not-a-chat-model.ts';
import type { OpenModel } from './open-model.ts';

/** Opens models to chat with; closes and refuses one that turns texts into vectors. @throws LlmHostError USAGE */
export function chatOnly(openModel: OpenModel): OpenModel {
  return async (source, options) => {
    const opened = await openModel(source, options);
    if (!opened.embedder) return opened;
    await opened.close();
    throw notAChatModel(opened.name);
  };
}
