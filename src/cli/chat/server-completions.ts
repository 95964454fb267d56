import { type InputCompletion, inputCompletion } from '../../mcp/resources/input-completion.ts';
import type { Completion } from '../../tui/input/complete.ts';
import type { ChatSession } from '../session/chat-session.ts';

type Tools = Pick<ChatSession, 'tools'>;

/** The names of a prompt's arguments that are not given yet. */
export function argumentNames(session: Tools, before: string): Completion | undefined {
  const found = completionOf(session, before);
  return found && 'options' in found ? { ...found, open: true } : undefined;
}

/** How to ask a server for the values of what is being typed. */
export function valuesOf(
  session: Tools,
  before: string,
): ((signal: AbortSignal) => Promise<Completion | undefined>) | undefined {
  const found = completionOf(session, before);
  const { control } = session.tools;
  if (control === undefined || found === undefined || !('request' in found)) return undefined;
  const { start, request, write } = found;
  return async signal => {
    const values = await control.complete(request, signal);
    const options = values.flatMap(value => write(value) ?? []);
    return { start, options, ...(request.ref.type === 'ref/resource' && { open: true }) };
  };
}

function completionOf({ tools: { control } }: Tools, before: string): InputCompletion | undefined {
  return control && inputCompletion(before, control.prompts(), control.resources());
}
