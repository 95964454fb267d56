import { dirname } from 'node:path';

/**
 * The lines that gcov counted in each source file, over all programs compiled from it: a line was run if any of them ran
 * it.
 * @param {readonly { files: { file: string, lines: { line_number: number, count: number }[] }[] }[]} reports
 *   as `gcov --json-format` writes them
 * @param {(file: string) => string | undefined} nameOf the file's name in the table; undefined leaves it out
 * @returns {Map<string, { lines: number, run: number }>}
 */
export function linesOfGcov(reports, nameOf) {
  /** @type {Map<string, Map<number, boolean>>} */
  const files = new Map();
  for (const { file, lines } of reports.flatMap(report => report.files)) {
    const name = nameOf(file);
    if (name === undefined) continue;
    const seen = files.get(name) ?? new Map();
    for (const { line_number, count } of lines) {
      seen.set(line_number, count > 0 || seen.get(line_number) === true);
    }
    files.set(name, seen);
  }
  return new Map([...files].map(([name, seen]) => [name, { lines: seen.size, run: countTrue(seen) }]));
}

const countTrue = seen => [...seen.values()].filter(Boolean).length;

/**
 * A line per folder and a total, then the files that were never run.
 * @param {ReadonlyMap<string, { lines: number, run: number }>} files
 */
export function coverageTable(files) {
  const folders = new Map();
  for (const [name, counts] of files) add(folders, dirname(name), counts);
  const total = new Map();
  for (const counts of files.values()) add(total, 'all', counts);
  const rows = [...[...folders].sort(([a], [b]) => (a < b ? -1 : 1)), ...total].map(row);
  const unrun = [...files].filter(([, { lines, run }]) => lines > 0 && run === 0).map(([name]) => name);
  return [...rows, ...unrun.sort().map(name => `never run: ${name}`)].join('\n');
}

function add(sums, key, { lines, run }) {
  const sum = sums.get(key) ?? { lines: 0, run: 0 };
  sums.set(key, { lines: sum.lines + lines, run: sum.run + run });
}

const row = ([name, { lines, run }]) =>
  `${name.padEnd(24)}${`${run} of ${lines} lines`.padStart(20)}${`${((100 * run) / Math.max(1, lines)).toFixed(1)} %`.padStart(9)}`;
