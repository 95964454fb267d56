import { closeness, editDistance } from '../../text/nearest.ts';

/** A tool as it is offered. */
export interface NamedTool {
  /** The name the model is to use: the tool's own, or `server__tool` where several servers have one of that name. */
  readonly name: string;
  readonly server?: string | undefined;
}

/** Longer names are no tool's. */
const MAX_NAME = 200;

/**
 * The tools that a name which none has may mean, of the best kind that there is: the tool's own name without its server
 * (`add` for `calculator__add`), or the same words in another form (`list_file`, `filesList` for `list_files`). A server
 * in front of the name has to be the tool's own. Letters that are merely similar mean nothing: `lock` is not `unlock`.
 */
export function meantTools(name: string, tools: readonly NamedTool[]): string[] {
  if (name.length > MAX_NAME) return [];
  const asked = split(name);
  const fitting = tools.filter(({ name: offered, server }) => {
    const owner = server ?? split(offered).prefix;
    return asked.prefix === '' || (owner !== undefined && plain(owner) === plain(asked.prefix));
  });
  const bare = fitting.filter(tool => plain(split(tool.name).own) === plain(asked.own));
  if (bare.length > 0) return bare.map(tool => tool.name);
  const words = wordKey(asked.own);
  return fitting.filter(tool => wordKey(split(tool.name).own) === words).map(tool => tool.name);
}

/**
 * The tools whose own name, without a server, is like that of `name`: nearly the same letters, or all the words of one in
 * the other (`add_numbers` and `add`). Good enough to ask about, not to run; the most alike first.
 */
export function similarTools(name: string, tools: readonly NamedTool[]): string[] {
  if (name.length > MAX_NAME) return [];
  const own = split(name).own.toLowerCase();
  const words = wordKey(own).split(' ').filter(Boolean);
  const alike = tools.flatMap(tool => {
    const other = split(tool.name).own.toLowerCase();
    const others = wordKey(other).split(' ').filter(Boolean);
    const distance = editDistance(own, other);
    const shares = words.length > 0 && others.length > 0 && (within(words, others) || within(others, words));
    return distance <= closeness(own) || shares ? [{ name: tool.name, distance }] : [];
  });
  return alike.sort((a, b) => a.distance - b.distance).map(one => one.name);
}

const within = (part: readonly string[], whole: readonly string[]): boolean =>
  part.every(word => whole.includes(word));

/** `server__tool`, `server.tool`, `server/tool` and `server:tool` in two. */
function split(name: string): { prefix: string; own: string } {
  const match = /^(.*?)(?:__|[./:])([^./:]+)$/s.exec(name);
  return match === null ? { prefix: '', own: name } : { prefix: match[1] as string, own: match[2] as string };
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** The words of a name in the order of the alphabet, each without a plural's ending. */
function wordKey(name: string): string {
  const words = name
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
  return words
    .filter(Boolean)
    .map(word => word.replace(/(?<=..)(?:ies|y)$/, 'i').replace(/(?<=...)s$/, ''))
    .sort()
    .join(' ');
}
