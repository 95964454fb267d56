import type { ToolDefinition } from '../../chat/message.ts';
import type { PromptStyle } from '../../parse/formats/prompt-style.ts';
import type { ToolChoice } from './chat-model.ts';

/** A name no tool has, to find where a format puts the name. */
const NAME = 'tool_name_6e2f';
/** What the model's next token is likely to start with. */
const NEXT = /[\s"{<]+$/;

/**
 * The start of a call in this format, up to the tool's name, or up to the arguments if the tool is given or the only
 * one. '' if the format cannot be cut there.
 */
export function forcedCall(
  format: Pick<PromptStyle, 'writeCalls'>,
  choice: Exclude<ToolChoice, 'auto'>,
  tools: readonly ToolDefinition[],
): string {
  const only = tools.length === 1 ? tools[0]?.function.name : undefined;
  const name = choice === 'required' ? only : choice.name;
  const written = format.writeCalls([{ name: NAME, arguments: {} }]);
  const at = written.indexOf(NAME);
  if (at < 0) return '';
  if (name === undefined) return written.slice(0, at).replace(NEXT, '');
  const other = format.writeCalls([{ name: NAME, arguments: { a: 'b' } }]);
  let end = at + NAME.length;
  while (end < written.length && written[end] === other[end]) end += 1;
  return (written.slice(0, at) + name + written.slice(at + NAME.length, end)).replace(NEXT, '');
}
