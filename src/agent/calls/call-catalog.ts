import type { HostTool } from '../../mcp/tool-host.ts';
import { ToolCatalog } from '../../parse/calls/tool-catalog.ts';

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
