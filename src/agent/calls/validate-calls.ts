import type { ToolCall } from '../../chat/message.ts';
import { coerce } from '../../parse/calls/coerce.ts';
import { type AttemptLabel, type Repair, resolveCall } from '../../parse/calls/resolve-call.ts';
import type { ToolCatalog } from '../../parse/calls/tool-catalog.ts';
import type { ParseEvent } from '../../parse/types/parse-event.ts';

export type CallEvent = Extract<ParseEvent, { type: 'call' | 'malformed' }>;

/** A call that can run. */
export interface GoodCall {
  readonly call: ToolCall;
  readonly repairs: readonly Repair[];
}

/** A call that cannot. */
export interface BadCall {
  readonly label: AttemptLabel;
  readonly message: string;
  /** The tool that was meant, if that is clear. */
  readonly tool: string | undefined;
  /** As the model wrote it; undefined where even that could not be read. */
  readonly call: ToolCall | undefined;
  readonly raw: string;
}

export interface Judgement {
  readonly good: readonly GoodCall[];
  readonly bad: readonly BadCall[];
}

/** Sorts the calls of a reply into those that can run and those that the model has to write again. */
export function judgeReply(
  events: readonly CallEvent[],
  tools: ToolCatalog,
  newCall: (name: string, args: Readonly<Record<string, unknown>>) => ToolCall,
): Judgement {
  const good: GoodCall[] = [];
  const bad: BadCall[] = [];
  for (const event of events) {
    if (event.type === 'malformed') {
      const label = event.truncated ? 'truncation' : 'malformed_json';
      const message = `The tool call could not be read: ${event.reason}`;
      bad.push({ label, message, tool: undefined, call: undefined, raw: event.raw });
      continue;
    }
    const resolved = resolveCall(event, tools);
    if (resolved.ok) {
      good.push({ call: newCall(resolved.name, resolved.arguments), repairs: resolved.repairs });
    } else {
      // Without a schema only what JSON cannot hold is changed.
      const args = coerce(event.arguments, {}).value as Record<string, unknown>;
      const { label, message, tool } = resolved;
      bad.push({ label, message, tool, call: newCall(event.name, args), raw: event.raw });
    }
  }
  return { good, bad };
}
