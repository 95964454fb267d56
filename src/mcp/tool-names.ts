import { createHash } from 'node:crypto';

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

/** The same for names that people and models mistake for each other. */
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
