// Line coverage of src/ and native/ as a table: first the C++ unit tests, then vitest with an instrumented addon.
// Without test/e2e, whose processes are not counted for TypeScript. Arguments go to vitest.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { buildDist } from '../../build/typescript.mjs';
import { findCompiler } from '../../lib/build/compiler.mjs';
import { root } from '../../lib/project.mjs';
import { runMain, SetupError } from '../../lib/setup-error.mjs';
import { showCommand } from '../../lib/show-command.mjs';
import { coverageTable, linesOfGcov } from './coverage-table.mjs';
import { buildInstrumented } from './instrumented.mjs';

const MAX_JSON = 1 << 30;
/** vitest ends its processes by SIGTERM, which would lose the counts. */
const ENDS_IN_ORDER = "--import=data:text/javascript,process.on('SIGTERM',()=>process.exit())";

/** gcov reads only its own compiler's files. */
function gcovOf({ command, version }) {
  if (version.startsWith('g++')) return command.replace(/[gc]\+\+/, 'gcov');
  throw new SetupError(`C++ coverage needs g++, not ${version}`, { hint: 'Name one in $CXX.' });
}

function countersIn(dir) {
  return readdirSync(dir, { recursive: true })
    .filter(path => path.endsWith('.gcda'))
    .map(path => join(dir, path));
}

function nativeCoverage(gcov, dir) {
  const args = ['--json-format', '--stdout', ...countersIn(dir)];
  const text = execFileSync(gcov, args, { cwd: dir, encoding: 'utf8', maxBuffer: MAX_JSON });
  const reports = text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line));
  return linesOfGcov(reports, file => {
    const name = relative(root, resolve(dir, file));
    return /^native\/(?!test\/)/.test(name) ? name : undefined;
  });
}

function scriptCoverage(dir) {
  const { total: _total, ...files } = JSON.parse(readFileSync(join(dir, 'coverage-summary.json'), 'utf8'));
  return new Map(
    Object.entries(files).map(([path, { lines }]) => [
      relative(root, path),
      { lines: lines.total, run: lines.covered },
    ]),
  );
}

await runMain(async () => {
  const gcov = gcovOf(findCompiler());
  await buildDist();
  const { dir, ctest } = await buildInstrumented('coverage', ['unit_tests', 'llm_host']);
  for (const path of countersIn(dir)) rmSync(path);
  const passed = await showCommand(ctest, [
    '--test-dir',
    dir,
    '--output-on-failure',
    '--no-tests=error',
    '--parallel',
    '2',
  ]);
  const reports = join(dir, 'src');
  const options = ['--coverage.enabled', '--coverage.include=src/**', '--coverage.reporter=json-summary'];
  const folders = [`--coverage.reportsDirectory=${reports}`, '--coverage.reportOnFailure'];
  const vitest = [
    join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--project=compute',
    '--project=waiting',
  ];
  const args = [...vitest, ...options, ...folders, ...process.argv.slice(2)];
  const scriptsPassed = await showCommand(process.execPath, args, {
    LLM_HOST_ADDON: join(dir, 'llm_host.node'),
    NODE_OPTIONS: ENDS_IN_ORDER,
  });
  if (!passed || !scriptsPassed) process.exitCode = 1;
  console.log(coverageTable(scriptCoverage(reports)));
  console.log(coverageTable(nativeCoverage(gcov, dir)));
});
