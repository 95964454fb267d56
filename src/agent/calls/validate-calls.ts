import type { ToolCall } from '../../chat/message.ts';
import type { HostTool } from '../../mcp/tool-host.ts';
import { coerce } from '../../parse/calls/coerce.ts';
import { type AttemptLabel, type Repair, resolveCall } from '../../parse/calls/resolve-call.ts';
import { ToolCatalog } from '../../parse/calls/tool-catalog.ts';
import type { ParseEvent } from '../../parse/types/parse-event.ts';

export type CallEvent = Extract<ParseEvent, { type: 'call' | 'malformed' }>;

export interface ValidCall {
  readonly call: ToolCall;
  readonly repairs: readonly Repair[];
  /** Its arguments could not be checked against the schema. */
  readonly unchecked: boolean;
}

export interface InvalidCall {
  readonly label: AttemptLabel;
  readonly message: string;
  /** The tool that was meant, if that is clear. */
  readonly tool: string | undefined;
  /** As the model wrote it; undefined if it could not be parsed at all. */
  readonly call: ToolCall | undefined;
  readonly raw: string;
}

export interface ValidatedCalls {
  readonly valid: readonly ValidCall[];
  readonly invalid: readonly InvalidCall[];
}

/** Characters of a call that cannot be read in which the name of its tool is looked for. */
const MAX_SEARCHED = 2000;

/**
 * Sorts the calls of a reply into those that can run and those that the model has to write again.
 * @param called the tools called so far, the latest first
 */
export function validateCalls(
  events: readonly CallEvent[],
  tools: ToolCatalog,
  newCall: (name: string, args: Readonly<Record<string, unknown>>) => ToolCall,
  called: readonly string[] = [],
): ValidatedCalls {
  const valid: ValidCall[] = [];
  const invalid: InvalidCall[] = [];
  let text = '';
  for (const event of events) {
    // Further calls in the same text have none of their own.
    text = event.raw || text;
    if (event.type === 'malformed') {
      const label = event.truncated ? 'truncation' : 'malformed_json';
      const message = `The tool call could not be read: ${event.reason}`;
      const tool = tools.namedIn(event.raw.slice(0, MAX_SEARCHED));
      invalid.push({ label, message, tool, call: undefined, raw: event.raw });
      continue;
    }
    const resolved = resolveCall({ ...event, raw: text }, tools, called);
    if (resolved.ok) {
      const { name, repairs, unchecked } = resolved;
      valid.push({ call: newCall(name, resolved.arguments), repairs, unchecked });
    } else {
      // An empty schema only turns bigints into what JSON can hold.
      const args = coerce(event.arguments, {}).value as Record<string, unknown>;
      const { label, message, tool } = resolved;
      invalid.push({ label, message, tool, call: newCall(event.name, args), raw: event.raw });
    }
  }
  return { valid, invalid };
}

/**
 * The tools that a call may mean: those the host has, offered or not, and those that only the offer has, such as the
 * search for tools. A message about a call names the offered ones.
 */
export function callCatalog(host: readonly HostTool[], offered: readonly HostTool[]): ToolCatalog {
  const all = new Map([...host, ...offered].map(tool => [tool.definition.function.name, tool]));
  return new ToolCatalog(
    [...all.values()].map(tool => tool.definition),
    name => all.get(name)?.server,
    offered.map(tool => tool.definition.function.name),
  );
}
