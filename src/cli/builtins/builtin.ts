import type { ChatSession } from '../session/chat-session.ts';

/** What a built-in command came to. */
export interface BuiltinResult {
  /** Printed; may be empty. */
  readonly output: string;
  readonly quit?: boolean;
  /** Runs as the next turn, as if it had been typed. */
  readonly prompt?: string;
}

export interface Builtin {
  readonly name: string;
  readonly aliases: readonly string[];
  /** What may follow the name, for the help; '' when nothing may. */
  readonly argument: string;
  readonly help: string;
  /** Words, of the name and the aliases, that are also recognised without the slash. */
  readonly plain: readonly string[];
  /** @param argument what follows the name, trimmed */
  readonly run: (session: ChatSession, argument: string) => BuiltinResult | Promise<BuiltinResult>;
}

export const print = (output: string): BuiltinResult => ({ output });
