import type { CallGate } from './policy/gate.ts';
import { cleanDescription, cleanSchema, cleanTitle } from './server/incoming-text.ts';
import type { ManagedServer } from './server/managed-server.ts';
import type { ServerTool } from './server/wire-schemas.ts';
import type { HostTool } from './tool-host.ts';
import { offeredNames } from './tool-names.ts';

/** A tool and the server that runs it. */
export interface Target {
  readonly tool: HostTool;
  /** As the server describes it. */
  readonly definition: ServerTool;
  readonly server: ManagedServer;
}

/** The tools that `gate` lets through, in the order of mcp.json, by the name the model uses. */
export function offeredTools(servers: readonly ManagedServer[], gate: CallGate): Map<string, Target> {
  const listed = servers.flatMap(server => server.tools.map(tool => ({ server, tool })));
  const allNames = namesOf(listed);
  const all = listed.filter(({ server: { config }, tool }, index) =>
    gate.offers({ offered: allNames[index] as string, tool: tool.name, server: config.name }, config),
  );
  // A name is free again if the other tool with that name is not offered.
  const names = namesOf(all);
  return new Map(
    all.map(({ server, tool }, index) => {
      const name = names[index] as string;
      return [name, { server, definition: tool, tool: hostTool(name, server.config.name, tool) }];
    }),
  );
}

function namesOf(tools: readonly { server: ManagedServer; tool: ServerTool }[]): string[] {
  return offeredNames(tools.map(({ server, tool }) => ({ server: server.config.name, tool: tool.name })));
}

function hostTool(name: string, server: string, tool: ServerTool): HostTool {
  // `$schema` tells a model nothing and costs tokens in every prompt.
  const { $schema: _, ...schema } = tool.inputSchema ?? {};
  const clean = cleanSchema(schema);
  // PHP writes an empty object as a list.
  const noProperties = Array.isArray(clean.properties) ? { properties: {} } : {};
  const parameters = { type: 'object', properties: {}, ...clean, ...noProperties };
  const description =
    tool.description === undefined ? {} : { description: cleanDescription(tool.description) };
  const title = cleanTitle(tool.title ?? tool.annotations?.title);
  return {
    definition: { type: 'function', function: { name, ...description, parameters } },
    server,
    tool: tool.name,
    readOnly: tool.annotations?.readOnlyHint === true,
    ...(title !== '' && { title }),
  };
}
