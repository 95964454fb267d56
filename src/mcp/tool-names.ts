import { createHash } from 'node:crypto';

const MAX_LENGTH = 64;

/** A tool as its server names it. */
export interface NamedTool {
  readonly server: string;
  readonly tool: string;
}

/**
 * The names the model uses, in the same order: the tool's own name if unique, else `server__tool` for each that
 * shares it. Only `A-Z a-z 0-9 _ -`, at most 64 characters, all different; a shortened or still clashing name ends in
 * a hash of server and tool.
 */
export function offeredNames(tools: readonly NamedTool[]): string[] {
  const own = tools.map(({ tool }) => sanitise(tool));
  const count = new Map<string, number>();
  for (const name of own) count.set(name, (count.get(name) ?? 0) + 1);
  const isFree = (name: string) => count.get(name) === 1 && name.length <= MAX_LENGTH;
  const taken = new Set(own.filter(isFree));
  return tools.map((entry, index) => {
    const name = own[index] as string;
    const identity = `${entry.server}\0${entry.tool}`;
    if (isFree(name)) return name;
    const wanted =
      count.get(name) === 1
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
