import { edgesOf, folderCycles } from './import-graph.mjs';

/** Lowest first; rooms of the same rank do not import each other. Explained in CONTRIBUTING.md under this heading. */
export const HEADING = 'Rooms and their ranks';
const SEE = `see CONTRIBUTING.md, "${HEADING}"`;

/** @type {Readonly<Record<'native' | 'src' | 'web', readonly (readonly string[])[]>>} */
const RANKS = {
  native: [
    ['common', 'watchdog'],
    ['kernels'],
    ['sample', 'weights'],
    ['layers'],
    ['models'],
    ['encoders'],
    ['engine'],
    ['addon'],
  ],
  src: [
    ['errors.ts'],
    ['text'],
    ['native', 'servers'],
    ['tokens', 'parse', 'hub'],
    ['chat'],
    ['model', 'mcp'],
    ['engine'],
    ['grammar', 'bench', 'embed', 'distributed'],
    ['agent'],
    ['run'],
    ['line', 'tui', 'serve', 'library'],
    ['cli', 'index.ts'],
  ],
  web: [
    ['conversation'],
    ['api', 'storage', 'widgets'],
    ['turn', 'markdown'],
    ['state'],
    ['components'],
    ['main.tsx'],
  ],
};

/**
 * Imports and includes upwards or sideways, rooms without a rank, and circles of folders.
 * @param {readonly import('./import-graph.mjs').Source[]} sources
 * @returns {string[]}
 */
export function rankBreaches(sources) {
  const edges = edgesOf(sources.filter(source => !source.path.startsWith('native/test/')));
  const cycles = folderCycles(edges);
  return [
    ...unranked(sources),
    ...edges.flatMap(edge => upward(edge)),
    ...cycles.map(folders => `${folders.join(', ')}: these folders import each other in a circle; ${SEE}`),
  ];
}

function unranked(sources) {
  const rooms = new Set(sources.map(({ path }) => path.split('/').slice(0, 2).join('/')));
  rooms.delete('native/test');
  return [...rooms]
    .filter(room => rankOf(room) < 0)
    .map(room => `${room}: has no rank; give it one in scripts/check/ranks.mjs; ${SEE}`);
}

function upward({ from, to, line }) {
  // A rule of its own says which parts of src the page may import.
  if (from.split('/')[0] !== to.split('/')[0]) return [];
  const [low, high] = [rankOf(from), rankOf(to)];
  if (low < 0 || high < 0 || roomOf(from) === roomOf(to) || high < low) return [];
  const verb = from.startsWith('native/') ? 'includes' : 'imports';
  const way = high === low ? 'sideways' : 'upwards';
  return [`${from}:${line}: ${verb} ${way} from ${roomOf(to)}; ${SEE}`];
}

function roomOf(path) {
  return path.split('/').slice(0, 2).join('/');
}

function rankOf(path) {
  const [side, room] = path.split('/');
  return (RANKS[side] ?? []).findIndex(rooms => rooms.includes(room));
}
