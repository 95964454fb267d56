import type { ChatPrompt, ChatSession } from '../session/chat-session.ts';

export interface BuiltinResult {
  /** Printed; may be empty. */
  readonly output: string;
  readonly quit?: boolean;
  /** Runs as the next turn, as if the user had typed it. */
  readonly prompt?: ChatPrompt;
}

/** A command of the chat, such as `/help`. */
export interface Builtin {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** For the help: what may follow the name. */
  readonly argument?: string;
  readonly help: string;
  /** Names and aliases that also work without the slash. */
  readonly plain?: readonly string[];
  /**
   * @param argument what follows the name, trimmed
   * @param builtins all of them
   */
  readonly run: (
    session: ChatSession,
    argument: string,
    builtins: readonly Builtin[],
  ) => BuiltinResult | Promise<BuiltinResult>;
}

export const print = (output: string): BuiltinResult => ({ output });
