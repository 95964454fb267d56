import type { ServerState } from '../mcp/tool-host.ts';

/** More servers that are starting are counted instead of named. */
const MAX_NAMED = 5;

/** What the user is told of servers that are not ready yet. */
export function startingSentences(servers: readonly ServerState[]): string[] {
  const starting = servers.filter(({ state }) => state === 'starting');
  const one = 'is still starting; its tools join when it is ready.';
  const several = 'are still starting; their tools join when they are ready.';
  const installs = 'which may take minutes;';
  return [
    ...sentenceOf(
      starting.filter(({ installing }) => !installing),
      one,
      several,
    ),
    ...sentenceOf(
      starting.filter(({ installing }) => installing),
      `is installing its package, ${installs} its tools join then.`,
      `are installing their packages, ${installs} their tools join then.`,
    ),
  ];
}

/** A sentence about a few servers by name, or about many by number. */
function sentenceOf(servers: readonly ServerState[], one: string, several: string): string[] {
  const names = servers.map(({ name }) => `'${name}'`);
  if (names.length === 0) return [];
  if (names.length > MAX_NAMED) return [`${names.length} servers ${several}`];
  return [names.length === 1 ? `Server ${names[0]} ${one}` : `Servers ${names.join(', ')} ${several}`];
}
