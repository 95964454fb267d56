import type { HostTool, ToolHost } from '../../mcp/tool-host.ts';

/** The host with other tools and calls; everything else is its own. */
export function extendedHost(host: ToolHost, { tools, call }: Pick<ToolHost, 'tools' | 'call'>): ToolHost {
  const prepareInput = host.prepareInput?.bind(host);
  const refreshStale = host.refreshStale?.bind(host);
  const takeNotices = host.takeNotices?.bind(host);
  return {
    tools,
    call,
    servers: () => host.servers(),
    close: () => host.close(),
    ...(prepareInput && { prepareInput }),
    ...(refreshStale && { refreshStale }),
    ...(takeNotices && { takeNotices }),
  };
}

/** The first of several names for a tool that none of the host's tools has. */
export function firstFree(candidates: readonly HostTool[], tools: readonly HostTool[]): HostTool {
  const taken = new Set(tools.map(({ definition }) => definition.function.name));
  return (candidates.find(({ tool }) => !taken.has(tool)) ?? candidates[0]) as HostTool;
}
