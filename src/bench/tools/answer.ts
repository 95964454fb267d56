import type { MadeCall } from './tool-case.ts';

/** `open`: calls are held to the schemas only once the model is stuck, as in a chat; `held`: from the start. */
export type Pass = 'open' | 'held';

/** What a model answered to a case. */
export interface Answer {
  readonly id: string;
  readonly pass: Pass;
  /** Those that could run. */
  readonly calls: readonly MadeCall[];
  /** Replies; more than one if calls had to be written again. */
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
  readonly error?: string | undefined;
}

/** `free`: the first reply; `repair`: with what a chat does about calls that cannot run; `held`: held to the schemas. */
export const MODES = ['free', 'repair', 'held'] as const;
export type Mode = (typeof MODES)[number];

export const passOf = (mode: Mode): Pass => (mode === 'held' ? 'held' : 'open');

/** The answer in a mode. A chat that did without repair would have ended with the first reply. */
export function answerIn(mode: Mode, answer: Answer): Answer {
  if (mode !== 'free' || answer.replies <= 1) return answer;
  const { firstTokens: generatedTokens, firstSeconds: seconds } = answer;
  return { ...answer, calls: [], replies: 1, generatedTokens, seconds };
}
