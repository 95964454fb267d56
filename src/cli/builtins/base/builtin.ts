import type { Message } from '../../../chat/message.ts';
import type { ChatSession } from '../../session/chat-session.ts';
import type { ChatPrompt } from '../../session/last-prompt.ts';

export interface BuiltinResult {
  /** Printed; may be empty. */
  readonly output: string;
  readonly quit?: boolean;
  /** Runs as the next turn, as if the user had typed it. */
  readonly prompt?: ChatPrompt;
  /** A conversation to show again, as it was held. */
  readonly replay?: readonly Message[];
}

/** The terminal at which the user sits. */
export interface UserTerminal {
  /** Sends a control sequence that draws nothing. */
  write(sequence: string): void;
  /** Leaves the terminal to another program, in its normal mode, until the returned function is called. */
  lend(): () => void;
  /** Runs what blocks the program while another one has the terminal: keys and signals are for that one. */
  blockedBy<T>(work: () => T): T;
}

/** Everything a command may use besides the session. */
export interface BuiltinContext {
  /** All commands. */
  readonly builtins: readonly Builtin[];
  /** Aborted by Ctrl+C and Esc. */
  readonly signal: AbortSignal;
  /** Tells the user what a long command is doing. */
  readonly progress: (text: string) => void;
  /** undefined: nobody sits at one. */
  readonly terminal?: UserTerminal | undefined;
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
  /** @param argument what follows the name, trimmed */
  readonly run: (
    session: ChatSession,
    argument: string,
    context: BuiltinContext,
  ) => BuiltinResult | Promise<BuiltinResult>;
}

export const print = (output: string): BuiltinResult => ({ output });

/** The output of a command, with a notice below it. */
export const withNotice = (output: string, notice: string | undefined): string =>
  notice === undefined ? output : `${output}\nNotice: ${notice}`;
