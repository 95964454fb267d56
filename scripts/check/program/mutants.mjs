// Plants one fault after another (mutants/faults.mjs) and tells whether `npm test`'s tests of that part notice it: for TypeScript
// the tests that import the file, for C++ the unit tests, then those of the engine. Works in a copy, so that a run that is
// killed leaves no fault behind. Exit 1 if a fault goes unnoticed.
// Usage, after `npm run bootstrap`: node scripts/check/program/mutants.mjs [--room parser] [--tree DIR]
//   --tree: another checkout, set up likewise, such as one of before a change
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../../lib/project.mjs';
import { runMain, SetupError } from '../../lib/setup-error.mjs';
import { FAULTS } from './mutants/faults.mjs';

await runMain(async () => {
  const { values } = parseArgs({ options: { room: { type: 'string' }, tree: { type: 'string' } } });
  const copy = copyOf(values.tree ?? root);
  try {
    const faults = FAULTS.filter(([room]) => values.room === undefined || room === values.room);
    const unnoticed = faults.filter(fault => !isNoticed(copy, fault));
    console.log(`${faults.length - unnoticed.length} of ${faults.length} faults noticed`);
    if (unnoticed.length > 0) process.exitCode = 1;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
});

/** Copies the tracked files, the made fixtures and the build; packages and downloads are linked. */
function copyOf(tree) {
  const copy = mkdtempSync(join(tmpdir(), 'llm-host-mutants-'));
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: tree, encoding: 'utf8' })
    .split('\0')
    .filter(Boolean);
  for (const name of files) cpSync(join(tree, name), join(copy, name));
  for (const name of ['build', 'dist', 'test/fixtures'])
    cpSync(join(tree, name), join(copy, name), { recursive: true });
  for (const name of ['node_modules', 'vendor']) symlinkSync(join(tree, name), join(copy, name));
  // vitest finds the tests of a changed file by git.
  execFileSync('git', ['init', '-q'], { cwd: copy });
  return copy;
}

function isNoticed(copy, [room, what, text, fault]) {
  const path = fileWith(copy, text);
  const source = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    source.replace(text, () => fault),
  );
  try {
    const name = relative(copy, path);
    const by = name.startsWith('native/') ? nativeTests(copy) : relatedTests(copy, name);
    console.log(
      `${by === undefined ? 'MISSED ' : 'noticed'}  ${room}: ${what} (${name})${by ? `: ${by}` : ''}`,
    );
    return by !== undefined;
  } finally {
    writeFileSync(path, source);
  }
}

function fileWith(copy, text) {
  const paths = ['src', 'native']
    .flatMap(folder =>
      readdirSync(join(copy, folder), { recursive: true }).map(name => join(copy, folder, name)),
    )
    .filter(path => /\.(tsx?|cc|h)$/.test(path) && !path.includes('/native/test/'))
    .filter(path => readFileSync(path, 'utf8').includes(text));
  if (paths.length !== 1) throw new SetupError(`${paths.length} files have: ${text}`);
  return paths[0];
}

/** The first test that fails; undefined: none. */
function relatedTests(copy, name) {
  return vitest(copy, ['related', name, '--run']);
}

function nativeTests(copy) {
  const built = spawnSync(process.execPath, ['scripts/build/native.mjs', '--tests'], {
    cwd: copy,
    encoding: 'utf8',
  });
  if (built.status !== 0) return 'the compiler';
  const { status, stdout } = spawnSync('ctest', ['--test-dir', 'build', '-j2', '--stop-on-failure'], {
    cwd: copy,
    encoding: 'utf8',
  });
  if (status !== 0) return /Test +#\d+: (\S+) .*(?:Failed|Exception|Timeout)/.exec(stdout)?.[1] ?? 'ctest';
  return vitest(copy, ['run', 'test/golden', 'test/engine', 'test/native']);
}

function vitest(copy, args) {
  const hasProjects = readFileSync(join(copy, 'vitest.config.ts'), 'utf8').includes('projects');
  const projects = hasProjects ? ['--project', 'compute', '--project', 'waiting'] : [];
  const command = [join(root, 'node_modules/vitest/vitest.mjs'), ...args, ...projects, '--bail', '1'];
  const { status, stdout } = spawnSync(process.execPath, command, {
    cwd: copy,
    env: { ...process.env, NO_COLOR: '1' },
    encoding: 'utf8',
    maxBuffer: 1e9,
  });
  if (status === 0) return undefined;
  return /FAIL +(.*)/.exec(stdout)?.[1] ?? 'vitest';
}
