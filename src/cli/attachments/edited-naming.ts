import { fileReferences } from './file-references.ts';

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
