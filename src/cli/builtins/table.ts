import { LlmHostError } from '../../errors.ts';
import { nearest } from '../../text/nearest.ts';
import type { ChatSession } from '../session/chat-session.ts';
import { debug, expand, model, quit, stats, tools } from './about.ts';
import { type Builtin, type BuiltinResult, print } from './builtin.ts';
import { clear, retry, system, think, undo } from './conversation.ts';
import { exportTo, load, save, sessions } from './files.ts';
import { mcp } from './mcp.ts';

const help: Builtin = {
  name: 'help',
  aliases: [],
  argument: '',
  help: 'lists the commands',
  plain: [],
  run: () => print(helpText()),
};

/** All built-in commands, in the order of the help; screen, line mode and completion read this one table. */
export const BUILTINS: readonly Builtin[] = [
  help,
  tools,
  mcp,
  model,
  stats,
  clear,
  undo,
  retry,
  system,
  think,
  expand,
  save,
  load,
  sessions,
  exportTo,
  debug,
  quit,
];

/** What follows a slash when it is a command and not a path or a prompt. */
const SLASH = /^\/([a-z]+)(?:\s+([\s\S]*))?$/i;

/**
 * The result of a built-in command, or undefined when `input` is a prompt for the model. A command that cannot do
 * its work says so in its output; it never ends the session.
 */
export async function runBuiltin(input: string, session: ChatSession): Promise<BuiltinResult | undefined> {
  const slash = SLASH.exec(input);
  const plain = input.toLowerCase();
  if (!slash) {
    const found = BUILTINS.find(builtin => builtin.plain.includes(plain));
    return found && (await runSafely(found, session, ''));
  }
  const word = (slash[1] ?? '').toLowerCase();
  const found = BUILTINS.find(builtin => builtin.name === word || builtin.aliases.includes(word));
  if (found) return await runSafely(found, session, slash[2]?.trim() ?? '');
  const guess = nearest(
    word,
    BUILTINS.flatMap(builtin => [builtin.name, ...builtin.aliases]),
  );
  return print(
    `Unknown command /${slash[1]}.${guess ? ` Did you mean /${guess}?` : ''} /help lists the commands.`,
  );
}

async function runSafely(builtin: Builtin, session: ChatSession, argument: string): Promise<BuiltinResult> {
  try {
    return await builtin.run(session, argument);
  } catch (error) {
    if (!(error instanceof LlmHostError)) throw error;
    return print(`Error: ${error.message}${error.hint ? `\n${error.hint}` : ''}`);
  }
}

function helpText(): string {
  return BUILTINS.map(({ name, aliases, argument, help: text }) => {
    const names = [name, ...aliases].map(word => `/${word}`).join(', ');
    return `${`${names} ${argument}`.trim().padEnd(34)} ${text}`;
  }).join('\n');
}
