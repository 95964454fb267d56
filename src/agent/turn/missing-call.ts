import { LlmHostError } from '../../errors.ts';
import type { ToolChoice } from '../model/chat-model.ts';

/** @throws LlmHostError TOOL_FAILED if the model was required to call a tool, and has not. */
export function refuseMissingCall(toolChoice: ToolChoice = 'auto'): void {
  if (toolChoice === 'auto') return;
  throw new LlmHostError('TOOL_FAILED', 'The model called no tool, although it was asked to');
}
