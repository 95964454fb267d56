import type { Message, ToolDefinition } from '../../chat/message.ts';

/** The type of a parameter as JSON Schema names it; `''`: it has none, or several. */
export interface ParameterType {
  readonly type: string;
  /** The type of a list's items. */
  readonly itemType?: string | undefined;
}

/** A tool's parameters, as the scorer sees them. */
export interface ToolSignature {
  readonly parameters: ReadonlyMap<string, ParameterType>;
  readonly required: readonly string[];
}

/** A call that counts as right: for each argument the accepted values. `''` among them: it may be left out. */
export interface ExpectedCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, readonly unknown[]>>;
}

/** `none`: the question has nothing to do with the tools; `some`: any call will do. */
export type Expected =
  | { readonly kind: 'none' }
  | { readonly kind: 'some' }
  | {
      readonly kind: 'calls';
      readonly signatures: ReadonlyMap<string, ToolSignature>;
      /** In any order. */
      readonly calls: readonly ExpectedCall[];
    };

/** A question, the tools offered with it, and what counts as right. */
export interface ToolCase {
  /** Unique in its folder. */
  readonly id: string;
  readonly category: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly expected: Expected;
}

/** A call that a model made. */
export interface MadeCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** `open`: calls are held to the schemas only once the model is stuck, as in a chat; `held`: from the start. */
export type Pass = 'open' | 'held';

/** A model's answer to a case. */
export interface Answer {
  readonly id: string;
  readonly pass: Pass;
  /** Calls that could run. */
  readonly calls: readonly MadeCall[];
  /** Replies; more than one if calls had to be written again. */
  readonly replies: number;
  /** The beginning of what it said besides. */
  readonly text: string;
  /** Tokens of the first prompt. */
  readonly promptTokens: number;
  /** Tokens of the first reply, and of all. */
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
