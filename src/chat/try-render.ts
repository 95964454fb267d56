import { LlmHostError } from '../errors.ts';
import { type ChatTemplate, type RenderOptions, renderChat } from './template.ts';

/** The prompt up to the reply; undefined if the template rejects the conversation. */
export function tryRender(template: ChatTemplate, options: RenderOptions): string | undefined {
  try {
    return renderChat(template, { ...options, addGenerationPrompt: true });
  } catch (error) {
    if (error instanceof LlmHostError && error.code === 'TEMPLATE') return undefined;
    throw error;
  }
}
