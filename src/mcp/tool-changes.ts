import { visible } from '../text/clean/visible.ts';
import type { ServerTool } from './server/wire-schemas.ts';
import { fingerprint } from './trust/tools.ts';

/** Of each kind; more are counted. */
const MAX_NAMED = 3;
const MAX_NAME_CHARS = 80;

/** Which tools a server has added, removed and changed, such as `'a' and 'b' added, 'c' removed`; undefined: none. */
export function toolChanges(before: readonly ServerTool[], now: readonly ServerTool[]): string | undefined {
  const old = new Map(before.map(tool => [tool.name, tool]));
  const names = new Set(now.map(tool => tool.name));
  const isChanged = (tool: ServerTool): boolean => {
    const known = old.get(tool.name);
    return known !== undefined && known !== tool && fingerprint(known) !== fingerprint(tool);
  };
  const kinds = [
    [now.filter(({ name }) => !old.has(name)), 'added'],
    [before.filter(({ name }) => !names.has(name)), 'removed'],
    [now.filter(isChanged), 'changed'],
  ] as const;
  const parts = kinds.flatMap(([tools, what]) => (tools.length === 0 ? [] : [`${named(tools)} ${what}`]));
  return parts.length === 0 ? undefined : parts.join(', ');
}

function named(tools: readonly ServerTool[]): string {
  const names = tools.slice(0, MAX_NAMED).map(({ name }) => `'${visible(name).slice(0, MAX_NAME_CHARS)}'`);
  const rest = tools.length - names.length;
  const all = rest > 0 ? [...names, `${rest} more`] : names;
  return all.length === 1 ? (all[0] as string) : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}
