import { createHash } from 'node:crypto';
import type { CallGate } from '../policy/gate.ts';
import { cleanDescription, cleanSchema, cleanTitle } from '../server/incoming-text.ts';
import type { ManagedServer } from '../server/managed-server.ts';
import type { ServerTool } from '../server/wire-schemas.ts';
import type { HostTool } from '../tool-host.ts';

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

const MAX_LENGTH = 64;

/** A tool as its server names it. */
export interface NamedTool {
  readonly server: string;
  readonly tool: string;
}

/**
 * The names the model uses, in the same order: the tool's own name if unique, else `server__tool` for each that
 * shares it. Names of several servers that look alike count as the same, and none passes for a tool of another server.
 * Only `A-Z a-z 0-9 _ -`, at most 64 characters, all different; a shortened or still clashing name ends in a hash of server
 * and tool.
 */
export function offeredNames(tools: readonly NamedTool[]): string[] {
  const own = tools.map(({ tool }) => sanitise(tool));
  const count = new Map<string, number>();
  for (const name of own) count.set(name, (count.get(name) ?? 0) + 1);
  const isDeceptive = deceptiveNames(tools, own);
  const free = own.map(
    (name, index) => count.get(name) === 1 && name.length <= MAX_LENGTH && !isDeceptive[index],
  );
  const taken = new Set(own.filter((_, index) => free[index]));
  return tools.map((entry, index) => {
    const name = own[index] as string;
    const identity = `${entry.server}\0${entry.tool}`;
    if (free[index]) return name;
    const wanted =
      count.get(name) === 1 && !isDeceptive[index]
        ? shorten(name, name)
        : shorten(sanitise(`${entry.server}__${entry.tool}`), identity);
    let offered = wanted;
    // Also of hashes: 32 bits are few for someone who looks for two names with the same.
    for (let attempt = 0; taken.has(offered); attempt++)
      offered = withHash(wanted, `${identity}\0${attempt}`);
    taken.add(offered);
    return offered;
  });
}

/** For each name whether it looks like that of another server's tool, or begins with the name of another server. */
function deceptiveNames(tools: readonly NamedTool[], own: readonly string[]): boolean[] {
  const serversOf = new Map<string, Set<string>>();
  const looks = own.map(lookOf);
  looks.forEach((look, index) => {
    const servers = serversOf.get(look) ?? new Set();
    serversOf.set(look, servers.add((tools[index] as NamedTool).server));
  });
  const prefixes = [...new Set(tools.map(({ server }) => server))].map(
    server => [server, lookOf(`${sanitise(server)}__`)] as const,
  );
  return tools.map(({ server }, index) => {
    const look = looks[index] as string;
    if ((serversOf.get(look)?.size ?? 0) > 1) return true;
    return prefixes.some(([other, prefix]) => other !== server && look.startsWith(prefix));
  });
}

/** Maps names that people and models mistake for each other to one key. */
function lookOf(name: string): string {
  return name.toLowerCase().replaceAll('-', '_').replaceAll('0', 'o').replaceAll(/[1i]/g, 'l');
}

function sanitise(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_');
}

function shorten(name: string, identity: string): string {
  return name.length <= MAX_LENGTH ? name : withHash(name, identity);
}

function withHash(name: string, identity: string): string {
  const hash = createHash('sha256').update(identity).digest('hex').slice(0, 8);
  return `${name.slice(0, MAX_LENGTH - hash.length - 1)}_${hash}`;
}
