import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isMain, root } from '../lib/project.mjs';

/** Where programs and the library begin; everything else in src is reached from them. */
const ENTRIES = [
  ...['src/index.ts', 'src/library/ai-sdk/models.ts'],
  ...['src/cli/main.ts', 'src/cli/bench/bench-process.ts', 'src/cli/worker/rank-process.ts', 'web/main.tsx'],
];
const IMPORT = /(?:from|import|import\(|new URL\()\s*'(\.[^']+)'/g;
/** Types are left out: they say what exported functions take and give, also where nobody names them. */
const EXPORT = /^export (?:abstract )?(?:async )?(?:function\*?|const|let|class) ([\w$]+)/gm;

/**
 * Unused code, as `path: what`: source files that no entry point reaches, exported functions, constants and classes that
 * no other file names, and packages in `dependencies` that src does not import.
 * @param {string} top
 * @returns {string[]}
 */
function findUnused(top) {
  const files = new Map(
    [
      ...['src', 'web', 'scripts', 'test'].flatMap(folder => sources(top, folder)),
      ...configurations(top),
    ].map(path => [path, read(top, path)]),
  );
  const { dependencies = {} } = JSON.parse(read(top, 'package.json'));
  return [...unreachedFiles(files), ...unusedExports(files), ...unusedPackages(files, dependencies)];
}

function unreachedFiles(files) {
  const reached = new Set();
  const waiting = [...ENTRIES];
  for (let path = waiting.pop(); path; path = waiting.pop()) {
    if (reached.has(path) || !files.has(path)) continue;
    reached.add(path);
    for (const [, target] of files.get(path).matchAll(IMPORT)) waiting.push(join(path, '..', target));
  }
  const own = [...files.keys()].filter(path => /^(src|web)\//.test(path));
  return own.filter(path => !reached.has(path)).map(path => `${path}: reached from nowhere`);
}

function unusedExports(files) {
  const words = new Map([...files].map(([path, text]) => [path, new Set(text.match(/[A-Za-z_$][\w$]*/g))]));
  const named = (name, path) => [...words].some(([other, set]) => other !== path && set.has(name));
  return [...files].flatMap(([path, text]) => {
    if (ENTRIES.includes(path)) return [];
    return [...text.matchAll(EXPORT)]
      .filter(([, name]) => !named(name, path))
      .map(([, name]) => `${path}: no other file uses ${name}: no export`);
  });
}

function unusedPackages(files, dependencies) {
  const all = [...files].filter(([path]) => path.startsWith('src/')).map(([, text]) => text);
  return Object.keys(dependencies)
    .filter(name => !all.some(text => text.includes(`'${name}'`) || text.includes(`'${name}/`)))
    .map(name => `package.json: src does not import ${name}`);
}

function sources(top, folder) {
  if (!existsSync(join(top, folder))) return [];
  return readdirSync(join(top, folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && /\.(tsx?|mjs|mts)$/.test(entry.name))
    .map(entry => join(entry.parentPath, entry.name).slice(join(top, '/').length))
    .sort();
}

/** Those of vitest name what is in test. */
const configurations = top => readdirSync(top).filter(name => name.endsWith('.config.ts'));

const read = (top, path) => readFileSync(join(top, path), 'utf8');

if (isMain(import.meta.url)) {
  const found = findUnused(process.argv[2] ? resolve(process.argv[2]) : root);
  for (const line of found) console.error(line);
  if (found.length > 0) process.exitCode = 1;
}
