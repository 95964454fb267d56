import type { TurnEvent } from '../agent/events/turn-event.ts';
import type { AgentOptions } from '../agent/turn/agent-options.ts';
import { Conversation } from '../agent/turn/conversation.ts';

/** Runs turns: prompt, replies and tool calls until the model answers without calling a tool. */
export interface Agent {
  /**
   * Runs one turn; the history grows as it goes. If the engine fails, the stream ends with an `error` event and the
   * history is as it was before; an abort, or leaving the stream early, ends the turn and keeps what was said so far.
   * @throws LlmHostError USAGE with the first event, while another turn runs: one begins when the one before is over
   */
  turn(input: string, signal?: AbortSignal): AsyncGenerator<TurnEvent>;
  /**
   * Ends the turn under way, if any, and keeps what was said so far; resolves when it is over. For one whose events nobody reads
   * to the end: until then no other can begin.
   */
  cancel(): Promise<void>;
  /** Forgets the conversation but for the system message. @throws LlmHostError USAGE while a turn runs */
  clear(): void;
}

export const Agent: new (options: AgentOptions) => Agent = Conversation;
