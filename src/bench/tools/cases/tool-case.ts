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

/**
 * `none`: the question has nothing to do with the tools; `some`: any call will do; `conversation`: what all calls of a
 * conversation have done is judged.
 */
export type Expected =
  | { readonly kind: 'conversation' }
  | { readonly kind: 'none' }
  | { readonly kind: 'some' }
  | {
      readonly kind: 'calls';
      readonly language: ArgumentLanguage;
      readonly signatures: ReadonlyMap<string, ToolSignature>;
      /** In any order. */
      readonly calls: readonly ExpectedCall[];
    };

/** What a user says in turn, while the model calls tools of services that keep what it does. */
export interface Conversation {
  readonly turns: readonly string[];
  /** Names of the classes that are its services. */
  readonly services: readonly string[];
  /** Names of tools, by the turn in which they are there at last. */
  readonly withheld: ReadonlyMap<number, readonly string[]>;
}

/** A question, the tools offered with it, and what counts as right. */
export interface ToolCase {
  /** Unique in its benchmark. */
  readonly id: string;
  readonly category: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly expected: Expected;
  /** Instead of messages and tools. */
  readonly conversation?: Conversation;
}

/** A call that a model made. */
export interface MadeCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}
