/** `@path` in a prompt. */
export interface FileReference {
  /** As typed, with the at sign. */
  readonly shown: string;
  /** The paths it may stand for, longest first: punctuation at its end may belong to the sentence. */
  readonly paths: readonly string[];
  /** Can only mean a file: quoted, or beginning with `/`, `./`, `../` or `~/`. A missing one is an error. */
  readonly explicit: boolean;
}

/** After a space, a bracket or a quote, so not in an e-mail address and not after a backslash. */
const AT = /(?<![^\s([{"'])@/g;
const PUNCTUATION = /[.,;:!?)\]}>"'\u2019\u201d]$/;
const EXPLICIT = /^(?:\/|~\/|\.{1,2}\/)/;

/**
 * Finds what may name a file in a prompt: `@notes.txt`, `@"my notes.txt"`, `@my\ notes.txt`. Leaves out `@server:uri`, which
 * names a resource of an MCP server.
 */
export function fileReferences(prompt: string, servers: readonly string[]): FileReference[] {
  const found: FileReference[] = [];
  for (const { index } of prompt.matchAll(AT)) {
    const rest = prompt.slice(index + 1);
    if (servers.some(server => rest.startsWith(`${server}:`))) continue;
    const reference = quotedPath(rest) ?? plainPath(rest);
    if (reference) found.push(reference);
  }
  return found;
}

function quotedPath(rest: string): FileReference | undefined {
  const [shown, , path] = /^(["'])([^\n]+?)\1/.exec(rest) ?? [];
  if (shown === undefined || path === undefined) return undefined;
  return { shown: `@${shown}`, paths: [path], explicit: true };
}

function plainPath(rest: string): FileReference | undefined {
  const typed = /^(?:\\ |\S)+/.exec(rest)?.[0] ?? '';
  if (/^["']?$/.test(typed)) return undefined;
  const paths: string[] = [];
  for (let path = typed.replaceAll('\\ ', ' '); path !== ''; path = path.slice(0, -1)) {
    paths.push(path);
    if (!PUNCTUATION.test(path)) break;
  }
  return { shown: `@${typed}`, paths, explicit: EXPLICIT.test(typed) || typed.includes('\\ ') };
}

/**
 * The part of an edited prompt in which files and resources may be named: what could name them before, and what the user
 * added. undefined: all of it. Other references were in a paste or in the text of a file, where others may have written them.
 */
export function editedNaming(
  edited: string,
  before: { readonly text: string; readonly naming: string },
): string | undefined {
  const typed = namesIn(before.naming);
  const old = namesIn(before.text);
  const present = namesIn(edited);
  const references = fileReferences(edited, []);
  const own = references.filter(reference => {
    const name = nameOf(reference);
    return typed.has(name) || (present.get(name) ?? 0) > (old.get(name) ?? 0);
  });
  if (own.length === references.length) return undefined;
  return [...new Set(own.map(({ shown }) => shown))].join('\n');
}

/** Without the punctuation around it, which an edit may change. */
const nameOf = ({ paths }: { readonly paths: readonly string[] }): string => paths.at(-1) ?? '';

/** How often each is named. */
function namesIn(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of fileReferences(text, []).map(nameOf)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
