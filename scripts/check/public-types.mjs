// Compares the types of the library, as tsc declares them, with docs/library-types.md, and finds types that appear in them
// without being exported. Usage: node scripts/check/public-types.mjs [--write] [folder with dist/ and docs/]
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { buildDist } from '../build/typescript.mjs';
import { isMain, root } from '../lib/project.mjs';
import { runMain } from '../lib/setup-error.mjs';

const ENTRIES = [
  ['llm-host', 'dist/index.d.ts'],
  ['llm-host/ai-sdk', 'dist/library/ai-sdk/models.d.ts'],
];
const PAGE = 'docs/library-types.md';
const HEAD = `# Types of the library

Every exported name with its type; an editor shows what each means. How to use them: [library.md](library.md). This page is made by
\`scripts/check/public-types.mjs --write\` and checked with the sources, so that no type changes unnoticed.
`;

const DECLARED =
  /^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|class|function|const|let) ([\w$]+)/;
const LISTED = /^(import|export)\s+(?:type\s+)?\{([^}]*)\}(?:\s+from\s+'([^']+)')?/;
/** Names of members and parameters, which may be those of types. */
const MEMBER = /([\n(,{;]\s*)(?:(?:readonly|static|get|set|private) )*(?:\.\.\.)?[\w$]+\??(?=[:(<])/g;
const INLINE = /import\("(\.[^"]+)"\)\.([\w$]+)/g;

/**
 * One .d.ts of tsc, whose statements begin at the first column.
 * @typedef {object} Declarations
 * @property {string} file
 * @property {Map<string, string[]>} own texts by name; a function may have several
 * @property {Map<string, { from: string, name: string }>} imported by local name
 * @property {Map<string, { from?: string, name: string }>} listed what `export { ... }` names
 */

/** Reads declarations, each file once. */
class Reader {
  /** @type {Map<string, Declarations>} */
  #read = new Map();

  /** @returns {Declarations} */
  at(file) {
    const known = this.#read.get(file);
    if (known) return known;
    const found = { file, own: new Map(), imported: new Map(), listed: new Map() };
    for (const statement of statementsOf(readFileSync(file, 'utf8'))) readStatement(found, statement);
    this.#read.set(file, found);
    return found;
  }

  /** Where a name that a file uses is declared; undefined: in a package, or nowhere. */
  find(file, name) {
    const { own, imported, listed } = this.at(file);
    if (own.has(name)) return { file, name };
    const elsewhere = listed.get(name) ?? imported.get(name);
    if (elsewhere?.from === undefined) {
      return elsewhere && elsewhere.name !== name ? this.find(file, elsewhere.name) : undefined;
    }
    if (!elsewhere.from.startsWith('.')) return undefined;
    return this.find(besides(file, elsewhere.from), elsewhere.name);
  }

  /** The declarations that the texts of a name refer to, as [name, place]. */
  references(place) {
    const { own, imported } = this.at(place.file);
    const text = own.get(place.name).join('\n');
    const inline = [...text.matchAll(INLINE)].map(([, from, name]) => [
      name,
      this.find(besides(place.file, from), name),
    ]);
    const words = text
      .replaceAll(INLINE, '')
      .replaceAll(/'[^']*'/g, '')
      .replaceAll(MEMBER, '$1');
    const named = [...new Set(words.match(/[A-Za-z_$][\w$]*/g))]
      .filter(word => word !== place.name && (own.has(word) || imported.has(word)))
      .map(word => [word, this.find(place.file, word)]);
    return [...inline, ...named].filter(([, found]) => found !== undefined);
  }
}

function statementsOf(text) {
  const bare = text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\n/gm, '');
  return bare
    .split(/^(?=(?:import|export|declare|interface|type|class|abstract) )/m)
    .map(statement => statement.trimEnd());
}

function readStatement(found, statement) {
  const [, verb, names, from] = LISTED.exec(statement) ?? [];
  if (verb !== undefined) {
    const into = verb === 'import' ? found.imported : found.listed;
    for (const one of names.split(',').map(name => name.trim().replace(/^type /, ''))) {
      const [name, as = name] = one.split(' as ');
      if (name !== '') into.set(as, { from, name });
    }
    return;
  }
  const [, name] = DECLARED.exec(statement) ?? [];
  if (name === undefined) return;
  const tidy = statement
    .replace(/^export /, '')
    .replace(/^declare /, '')
    .replaceAll(/^ +#private;\n/gm, '');
  found.own.set(name, [...(found.own.get(name) ?? []), tidy]);
  if (statement.startsWith('export ')) found.listed.set(name, { name });
}

/** Imports name the source, `./x.ts`. */
function besides(file, specifier) {
  return resolve(dirname(file), specifier.replace(/\.(?:[jt]sx?)$/, '.d.ts'));
}

/**
 * @param {string} top
 * @returns {{ page: string, missing: string[] }} the page, and what is not exported although it appears
 */
function publicTypes(top) {
  const reader = new Reader();
  const key = ({ file, name }) => `${file} ${name}`;
  const entries = ENTRIES.map(([title, path]) => {
    const file = join(top, path);
    const names = [...reader.at(file).listed.keys()].sort();
    return { title, places: names.map(name => [name, reader.find(file, name)]) };
  });
  const exported = new Set(entries.flatMap(({ places }) => places.map(([, place]) => key(place))));
  const missing = entries.flatMap(({ places }) =>
    places.flatMap(([name, place]) =>
      reader
        .references(place)
        .filter(([, found]) => !exported.has(key(found)))
        .map(([word]) => `${word} appears in ${name} and is not exported`),
    ),
  );
  const sections = entries.map(({ title, places }) => {
    const texts = places.map(([, { file, name }]) =>
      reader.at(file).own.get(name).join('\n').replaceAll(INLINE, '$2'),
    );
    return `\n## ${title}\n\n\`\`\`typescript\n${texts.join('\n\n')}\n\`\`\`\n`;
  });
  return { page: HEAD + sections.join(''), missing };
}

/** The lines that only one of two texts has. */
function differences(before, now) {
  const lines = text => text.split('\n');
  const without = (all, others) => lines(all).filter(line => !new Set(lines(others)).has(line));
  return [
    ...without(before, now).map(line => `- ${line.trim()}`),
    ...without(now, before).map(line => `+ ${line.trim()}`),
  ];
}

if (isMain(import.meta.url)) {
  await runMain(async () => {
    const args = process.argv.slice(2);
    const [folder] = args.filter(arg => arg !== '--write');
    if (folder === undefined) await buildDist();
    const top = folder === undefined ? root : resolve(folder);
    const { page, missing } = publicTypes(top);
    for (const line of missing) console.error(line);
    if (missing.length > 0) process.exitCode = 1;
    const path = join(top, PAGE);
    if (args.includes('--write')) return writeFileSync(path, page);
    const kept = readFileSync(path, 'utf8');
    if (kept === page) return;
    console.error(`The types of the library are not those of ${PAGE}:`);
    console.error(differences(kept, page).slice(0, 40).join('\n') || 'their order');
    console.error('If that is intended: node scripts/check/public-types.mjs --write');
    process.exitCode = 1;
  });
}
