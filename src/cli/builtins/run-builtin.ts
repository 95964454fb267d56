import { LlmHostError } from '../../errors.ts';
import { nearest } from '../../text/nearest.ts';
import type { ChatSession } from '../session/chat-session.ts';
import { type Builtin, type BuiltinContext, type BuiltinResult, print } from './base/builtin.ts';
import { BUILTINS } from './table.ts';

/** A command: unlike a path, it has nothing but letters after the slash. */
const SLASH = /^\/([a-z]+)(?:\s+([\s\S]*))?$/i;

/** Nobody watches, and nothing cancels it. */
const NOBODY: BuiltinContext = {
  builtins: BUILTINS,
  signal: new AbortController().signal,
  progress: () => undefined,
};

/**
 * Runs a built-in command; undefined when `input` is a prompt for the model. A command that fails says so in its output and
 * never ends the session.
 */
export async function runBuiltin(
  input: string,
  session: ChatSession,
  run: Partial<BuiltinContext> = {},
): Promise<BuiltinResult | undefined> {
  const context = { ...NOBODY, ...run };
  const slash = SLASH.exec(input);
  const plain = input.toLowerCase();
  if (!slash) {
    const found = BUILTINS.find(builtin => builtin.plain?.includes(plain));
    return found && (await runSafely(found, session, '', context));
  }
  const word = (slash[1] ?? '').toLowerCase();
  const found = BUILTINS.find(builtin => builtin.name === word || builtin.aliases?.includes(word));
  if (found) return await runSafely(found, session, slash[2]?.trim() ?? '', context);
  const guess = nearest(word, BUILTINS.flatMap(namesOf));
  return print(
    `Unknown command /${slash[1]}.${guess ? ` Did you mean /${guess}?` : ''} /help lists the commands.`,
  );
}

async function runSafely(
  builtin: Builtin,
  session: ChatSession,
  argument: string,
  context: BuiltinContext,
): Promise<BuiltinResult> {
  try {
    return await builtin.run(session, argument, context);
  } catch (error) {
    if (!(error instanceof LlmHostError)) throw error;
    return print(`Error: ${error.message}${error.hint ? `\n${error.hint}` : ''}`);
  }
}

/** The words that may follow a slash. */
export function namesOf({ name, aliases = [] }: Builtin): string[] {
  return [name, ...aliases];
}
