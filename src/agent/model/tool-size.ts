import type { ToolDefinition } from '../../chat/message.ts';
import { LlmHostError } from '../../errors.ts';
import { definitionSizeFault } from '../../text/json/definition-size.ts';

/** Looked at before; a prompt is built for each round. */
const seen = new WeakSet<ToolDefinition>();

/** @throws LlmHostError USAGE that names a tool whose definition is too large for a prompt */
export function checkToolSizes(tools: readonly ToolDefinition[]): void {
  for (const tool of tools) {
    if (seen.has(tool)) continue;
    const fault = definitionSizeFault(tool.function);
    if (fault !== undefined)
      throw new LlmHostError('USAGE', `The definition of the tool '${tool.function.name}' ${fault}`);
    seen.add(tool);
  }
}
