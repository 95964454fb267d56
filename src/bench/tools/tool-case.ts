import type { Message, ToolDefinition } from '../../chat/message.ts';

/** The type of a parameter as JSON Schema names it; `''`: it has none, or several. */
export interface ParameterType {
  readonly type: string;
  /** Of the items of a list. */
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
