import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMain, root } from '../lib/project.mjs';

const FOLDERS = ['native', 'src', 'web', 'scripts', 'docs'];
const COMMENT = /^\s*(?:\/\/|\/\*\*|\*) (.*)/;

/** Beginnings that leave out what a comment is about: "Of a download, in bytes" for "Progress of a download, in bytes". */
const HEADLESS = /^(?:Of|Those|That of|The same|What) /;

/** Words that English has better ones for. */
const ODD = /\b(?:foretell|foretold|foretells|takes back|goes on with|so many times as)\b/i;

/**
 * Comments that begin without a subject, and phrases that read as translated, as `path:line: text`.
 * @param {string} [top]
 * @returns {string[]}
 */
export function oddWords(top = root) {
  return FOLDERS.flatMap(folder => filesBelow(join(top, folder))).flatMap(file => {
    const lines = readFileSync(file, 'utf8').split('\n');
    const isText = file.endsWith('.md');
    return lines.flatMap((line, index) => {
      const text = isText ? line : COMMENT.exec(line)?.[1];
      if (text === undefined || !((!isText && HEADLESS.test(text)) || ODD.test(text))) return [];
      return [`${file.slice(top.length).replace(/^\//, '')}:${index + 1}: ${text.trim().slice(0, 100)}`];
    });
  });
}

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(entry => entry.isFile() && /\.(?:tsx?|mjs|cc|h|md)$/.test(entry.name))
    .map(entry => join(entry.parentPath, entry.name))
    .sort();
}

if (isMain(import.meta.url)) {
  const found = oddWords();
  for (const line of found) console.error(line);
  if (found.length > 0) {
    console.error(
      `${found.length} places. Write whole sentences in plain words: name the thing, or begin with a verb.`,
    );
    process.exitCode = 1;
  }
}
