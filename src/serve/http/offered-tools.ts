import type { IncomingHttpHeaders } from 'node:http';
import type { TurnRequest } from '../../agent/requests/request-turn.ts';
import type { RequestTurns } from '../../agent/requests/request-turns.ts';
import type { ToolDefinition } from '../../chat/message.ts';
import { badRequest } from './api-error.ts';
import { TOOLS_POLICIES, type ToolsPolicy } from './tools-policy.ts';

const HEADER = 'x-llm-host-tools';

/** Reads the request's header; without it, the server's own policy applies. Throws ApiError 400. */
export function toolsPolicyOf(headers: IncomingHttpHeaders, ofServer: ToolsPolicy): ToolsPolicy {
  const asked = headers[HEADER];
  if (asked === undefined) return ofServer;
  const policy = TOOLS_POLICIES.find(one => one === asked);
  if (policy) return policy;
  throw badRequest(`${HEADER} must be one of ${TOOLS_POLICIES.join(', ')}`, HEADER);
}

export interface AskedTools {
  /** The request's own. */
  readonly tools: readonly ToolDefinition[];
  readonly toolChoice: TurnRequest['toolChoice'];
}

/** The tools of a turn. Throws ApiError 400 for a choice that cannot be made. */
export function offeredTools(
  { tools, toolChoice }: AskedTools,
  policy: ToolsPolicy,
  turns: Pick<RequestTurns, 'toolNames'>,
): Pick<TurnRequest, 'tools' | 'toolChoice' | 'ours'> {
  const ours = policy === 'all' || (policy === 'auto' && tools.length === 0);
  const names = policy === 'none' ? [] : turns.toolNames(tools, ours);
  if (typeof toolChoice === 'object' && !names.includes(toolChoice.name))
    throw badRequest(`tool_choice: there is no tool '${toolChoice.name}'`, 'tool_choice');
  if (toolChoice === 'required' && names.length === 0)
    throw badRequest('tool_choice: required, but there are no tools', 'tool_choice');
  return { tools, toolChoice: policy === 'none' ? 'none' : toolChoice, ours };
}
