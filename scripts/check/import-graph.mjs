import { dirname, posix } from 'node:path';

/**
 * @typedef {object} Source
 * @property {string} path from the root, with `/`
 * @property {string} text without comments
 *
 * @typedef {object} Edge
 * @property {string} from the file that imports or includes
 * @property {string} to the file below src/ or native/ that it names
 * @property {number} line
 */

const IMPORT = /(?:\bfrom|\bimport\(|^import)\s*['"](\.{1,2}\/[^'"]+)['"]/gm;
const INCLUDE = /^\s*#\s*include\s*"([^"]+)"/gm;

/**
 * The imports and includes between our own files.
 * @param {readonly Source[]} sources
 * @returns {Edge[]}
 */
export function edgesOf(sources) {
  const known = new Set(sources.map(source => source.path));
  return sources.flatMap(({ path, text }) => {
    const native = path.startsWith('native/');
    return [...text.matchAll(native ? INCLUDE : IMPORT)].flatMap(match => {
      const to = native ? `native/${match[1]}` : posix.join(dirname(path), match[1]);
      // MLX's and Node's headers are not ours; the compiler reports missing imports.
      if (!known.has(to)) return [];
      return [
        { from: path, to, line: text.slice(0, match.index + match[0].indexOf('"')).split('\n').length },
      ];
    });
  });
}

/**
 * Circles of folders, each as the folders of one strongly connected part. A folder's own files and its sub-folders
 * are different nodes. `top` folders (src, native) are left out: their files are the root of everything.
 * @param {readonly Edge[]} edges
 * @returns {string[][]}
 */
export function folderCycles(edges) {
  /** @type {Map<string, Set<string>>} */
  const graph = new Map();
  for (const { from, to } of edges) {
    const [a, b] = [posix.dirname(from), posix.dirname(to)];
    if (a === b || !a.includes('/') || !b.includes('/')) continue;
    graph.set(a, (graph.get(a) ?? new Set()).add(b));
  }
  return stronglyConnected(graph).filter(part => part.length > 1);
}

/** Tarjan's algorithm. */
function stronglyConnected(graph) {
  const index = new Map();
  const low = new Map();
  const stack = [];
  const parts = [];
  const visit = node => {
    index.set(node, index.size);
    low.set(node, index.get(node));
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!index.has(next)) visit(next);
      if (stack.includes(next)) low.set(node, Math.min(low.get(node), low.get(next)));
    }
    if (low.get(node) === index.get(node)) parts.push(stack.splice(stack.indexOf(node)).sort());
  };
  for (const node of graph.keys()) if (!index.has(node)) visit(node);
  return parts;
}
