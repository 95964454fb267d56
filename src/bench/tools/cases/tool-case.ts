import type { Message, ToolDefinition } from '../../../chat/message.ts';

/** What the arguments of a call are written in: Java and JavaScript values come as the text of a literal. */
export type ArgumentLanguage = 'json' | 'java' | 'javascript';

/** The type of a parameter in the words of the benchmark: `integer`, `float`, `ArrayList`, ... */
export interface ParameterType {
  readonly type: string;
  /** Of the items of a list. */
  readonly itemType?: string | undefined;
}

/** What a tool takes, as the scorer sees it. */
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
      readonly language: ArgumentLanguage;
      readonly signatures: ReadonlyMap<string, ToolSignature>;
      /** In any order. */
      readonly calls: readonly ExpectedCall[];
    };

/** A question, the tools offered with it, and what counts as right. */
export interface ToolCase {
  /** Unique in its benchmark. */
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
