import type { ToolDefinition } from '../../chat/message.ts';
import { exampleArguments } from '../../parse/calls/example-arguments.ts';
import type { InvalidCall } from './validate-calls.ts';

/** Longer schemas are not worth their place in the prompt. */
const MAX_SCHEMA = 4000;

/** Tells the model about a call that could not run: what was wrong, the schema, an example. */
export function feedback(
  call: InvalidCall,
  tools: readonly ToolDefinition[],
  writeCall: ((name: string, args: Readonly<Record<string, unknown>>) => string) | undefined,
): string {
  const lines = [`Error: ${call.message}`];
  const known = tools.find(tool => tool.function.name === call.tool);
  if (known && call.label !== 'wrong_tool') {
    const schema = JSON.stringify(known.function.parameters);
    if (schema.length <= MAX_SCHEMA) lines.push(`Schema of '${known.function.name}': ${schema}`);
  }
  const example = known ?? (call.call ? undefined : tools[0]);
  if (example && writeCall) {
    const { name, parameters } = example.function;
    lines.push(`Write it like this: ${writeCall(name, exampleArguments(parameters))}`);
  }
  if (lines.length > 1) lines.push('Reply with the corrected call only.');
  return lines.join('\n');
}
