import type { ManagedServer } from './managed-server.ts';
import type { HostTool } from './tool-host.ts';
import { offeredNames } from './tool-names.ts';
import type { ServerTool } from './wire-schemas.ts';

/** A tool, and the server that runs it. */
export interface Target {
  readonly tool: HostTool;
  readonly server: ManagedServer;
}

/** The tools of all servers, in the order of mcp.json, under the names that the model gets. */
export function offeredTools(servers: readonly ManagedServer[]): Map<string, Target> {
  const all = servers.flatMap(server => server.tools.map(tool => ({ server, tool })));
  const names = offeredNames(
    all.map(({ server, tool }) => ({ server: server.config.name, tool: tool.name })),
  );
  return new Map(
    all.map(({ server, tool }, index) => {
      const name = names[index] as string;
      return [name, { server, tool: hostTool(name, server.config.name, tool) }];
    }),
  );
}

function hostTool(name: string, server: string, tool: ServerTool): HostTool {
  // `$schema` says nothing to a model and costs tokens in every prompt.
  const { $schema: _, ...schema } = tool.inputSchema ?? {};
  const parameters = { type: 'object', properties: {}, ...schema };
  const description = tool.description === undefined ? {} : { description: tool.description };
  return {
    definition: { type: 'function', function: { name, ...description, parameters } },
    server,
    tool: tool.name,
    readOnly: tool.annotations?.readOnlyHint === true,
  };
}
