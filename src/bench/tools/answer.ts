import type { MadeCall, ToolCase } from './cases/tool-case.ts';
import type { ConversationFault } from './score/conversation-fault.ts';

/** `open`: calls are held to the schemas only once the model is stuck, as in a chat; `held`: from the start. */
export type Pass = 'open' | 'held';

/** What a model answered to a case. */
export interface Answer {
  readonly id: string;
  readonly pass: Pass;
  /** Those that could run. */
  readonly calls: readonly MadeCall[];
  /** Of a conversation, the same calls by turn: those that reached a service. It may have been broken off. */
  readonly turns?: readonly (readonly MadeCall[])[];
  /** Of a conversation: what is wrong with it. */
  readonly fault?: ConversationFault;
  /** Replies; more than one if calls had to be written again. Of a conversation, one more than were written again. */
  readonly replies: number;
  /** The beginning of what it said besides. */
  readonly text: string;
  /** Of the first reply. */
  readonly promptTokens: number;
  /** Of the first reply, and of all. */
  readonly firstTokens: number;
  readonly generatedTokens: number;
  readonly firstSeconds: number;
  readonly seconds: number;
  /** Why there was no answer, such as CONTEXT_FULL. */
  readonly error?: string;
}

/** `free`: the first reply; `repair`: with what a chat does about calls that cannot run; `held`: held to the schemas. */
export const MODES = ['free', 'repair', 'held'] as const;
export type Mode = (typeof MODES)[number];

export const passOf = (mode: Mode): Pass => (mode === 'held' ? 'held' : 'open');

/**
 * Whether a mode can be measured by a case: how a conversation would have gone on without repair cannot be told from one that had
 * it.
 */
export const isMeasured = (mode: Mode, { conversation }: ToolCase): boolean =>
  mode !== 'free' || conversation === undefined;

/** The answer in a mode. A chat that did without repair would have ended with the first reply. */
export function answerIn(mode: Mode, answer: Answer): Answer {
  if (mode !== 'free' || answer.replies <= 1) return answer;
  const { firstTokens: generatedTokens, firstSeconds: seconds } = answer;
  return { ...answer, calls: [], replies: 1, generatedTokens, seconds };
}
