import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

const module = new URL('../../../../scripts/check/native/coverage-table.mjs', import.meta.url).href;

/** The table of what gcov wrote about some programs. */
function table(reports: readonly unknown[]): string {
  const given = JSON.stringify(reports);
  const script = `
    import { coverageTable, linesOfGcov } from '${module}';
    const nameOf = file => file.startsWith('/usr/') ? undefined : file;
    console.log(coverageTable(linesOfGcov(${given}, nameOf)));`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
}

const report = (file: string, counts: readonly number[]) => ({
  files: [{ file, lines: counts.map((count, index) => ({ line_number: index + 1, count })) }],
});

it('counts a line as run when one program ran it, a line for each folder and one for all', () => {
  const reports = [
    report('native/a/one.h', [1, 0, 0]),
    report('native/a/one.h', [0, 7, 0]),
    report('native/b/two.cc', [0, 0]),
    report('/usr/include/vector', [1]),
  ];
  expect(
    table(reports)
      .split('\n')
      .map(line => line.replace(/\s+/g, ' ')),
  ).toEqual([
    'native/a 2 of 3 lines 66.7 %',
    'native/b 0 of 2 lines 0.0 %',
    'all 2 of 5 lines 40.0 %',
    'never run: native/b/two.cc',
    '',
  ]);
});
