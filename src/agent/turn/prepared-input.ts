import type { PrepareOptions, ToolHost } from '../../mcp/tool-host.ts';
import type { TurnEvent } from '../events/turn-event.ts';

export interface InputOptions extends Pick<PrepareOptions, 'timeoutMs' | 'cut'> {
  /** The part of the input in which resources may be named; undefined: all of it. */
  readonly naming: string | undefined;
  readonly signal: AbortSignal | undefined;
  /** Receives what gives back what the input tells only once, if the turn fails. */
  readonly onPrepared: (giveBack: (() => void) | undefined) => void;
}

/** The input with the resources or the server prompt that it names filled in. */
export async function* preparedInput(
  tools: ToolHost,
  input: string,
  { timeoutMs, cut, naming, signal, onPrepared }: InputOptions,
): AsyncGenerator<TurnEvent, string> {
  if (tools.prepareInput === undefined || input === '') return input;
  const options = { timeoutMs, cut, ...(naming !== undefined && { naming }), ...(signal && { signal }) };
  const { text, notices, giveBack } = await tools.prepareInput(input, options);
  onPrepared(giveBack);
  for (const message of notices) yield { type: 'notice', message };
  return text;
}
