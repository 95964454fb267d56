import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { isMain, root } from '../lib/project.mjs';
import { HEADING, rankBreaches } from './ranks.mjs';

/**
 * A text that a part of the sources may not contain.
 * @typedef {object} Rule
 * @property {RegExp} files paths that the rule is about
 * @property {RegExp} forbids in the text without comments
 * @property {string} because
 */

/** @type {readonly Rule[]} */
const RULES = [
  {
    files: /^native\/addon\//,
    forbids: /#\s*include\s*[<"]mlx\//,
    because: 'native/addon sees no MLX; it goes through native/engine',
  },
  {
    files: /^native\/(?!addon\/)/,
    forbids: /#\s*include\s*[<"](napi|node_api|js_native_api|uv|v8|node)(\.h|-inl\.h|_types\.h)/,
    because: 'only native/addon sees Node',
  },
  {
    files: /^src\/agent\//,
    forbids: /from\s+['"](react|ink)[/'"]|process\.std(out|err|in)\b/,
    because: 'the agent knows no screen; readers watch its events',
  },
  {
    files: /^src\/(line|tui|serve)\//,
    forbids: /(?:^|\n)\s*(?:import|export)\s+(?!type\b)[^;'"]*from\s+['"][^'"]*\/agent\/[^'"]*['"]/,
    because: 'readers import only types from the agent',
  },
  {
    files: /^web\//,
    forbids: /(?:^|\n)\s*(?:import|export)\s+(?!type\b)[^;'"]*from\s+['"][^'"]*\/src\/[^'"]*['"]/,
    because: 'the page imports only types from src: it runs in a browser',
  },
  {
    files: /^web\//,
    forbids:
      /dangerouslySetInnerHTML|\b(innerHTML|outerHTML|insertAdjacentHTML|srcdoc)\b|\beval\(|new Function\b|document\.write/,
    because: 'the page never makes HTML or code of a text',
  },
  {
    files: /^src\/(?!cli\/)/,
    forbids: /process\.(argv|exitCode)\b|process\.exit\(|process\.(on|once|addListener)\(\s*['"]SIG/,
    because: 'only src/cli touches arguments, exit codes and signals',
  },
  {
    files: /^src\//,
    forbids: /\bmkdir(?:Sync)?\([^;]*\brecursive\b/,
    because:
      "folders are made by text/files/make-folder.ts, since Node's `recursive` never returns below /proc",
  },
  {
    files: /^src\//,
    forbids: /['"`](?:\.\.\/)+scripts\b/,
    because: 'src reaches nothing in scripts, which is not published',
  },
  {
    files: /^(src|web)\//,
    forbids: /(?:^|\n)export\s+default\b/,
    because: 'no default exports',
  },
  {
    files: /^(src|web)\//,
    forbids: /\.\.\.\{/,
    because: 'no object literal is spread into another: name its properties there',
  },
];

const MAX_LINES = 500;

/**
 * The places where the sources below `top` breach the rules, as `path:line: reason`.
 * @param {string} [top]
 * @returns {string[]}
 */
function checkLayers(top = root) {
  const sources = ['native', 'src', 'web']
    .flatMap(dir => filesBelow(join(top, dir)))
    .map(file => readSource(top, file));
  return [...sources.flatMap(forbidden), ...sources.flatMap(tooLong), ...rankBreaches(sources)];
}

function filesBelow(dir) {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { withFileTypes: true })
    .flatMap(entry => {
      const path = join(dir, entry.name);
      if (entry.isDirectory()) return filesBelow(path);
      return /\.(tsx?|cc|h)$/.test(entry.name) ? [path] : [];
    })
    .sort();
}

function readSource(top, file) {
  return {
    path: relative(top, file).replaceAll('\\', '/'),
    text: withoutComments(readFileSync(file, 'utf8')),
  };
}

function forbidden({ path, text }) {
  return RULES.filter(rule => rule.files.test(path)).flatMap(({ forbids, because }) => {
    const found = forbids.exec(text);
    if (!found) return [];
    const start = found.index + found[0].search(/\S/);
    const line = text.slice(0, start).split('\n').length;
    return [`${path}:${line}: ${because}; see CONTRIBUTING.md, "${HEADING}"`];
  });
}

function tooLong({ path, text }) {
  const lines = text.split('\n').length - 1;
  return lines > MAX_LINES
    ? [`${path}: ${lines} lines; at most ${MAX_LINES}: see CONTRIBUTING.md, "${HEADING}"`]
    : [];
}

/** Keeps the line breaks, so that positions stay true. `://` in a string does not start a comment. */
function withoutComments(text) {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, comment => comment.replace(/[^\n]/g, ' '))
    .replace(/(^|[^:])\/\/.*$/gm, '$1');
}

if (isMain(import.meta.url)) {
  const found = checkLayers(process.argv[2] ? resolve(process.argv[2]) : root);
  for (const line of found) console.error(line);
  if (found.length > 0) process.exitCode = 1;
}
