import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findCtest } from '../build/build-tools.mjs';
import { buildDir, root } from '../project.mjs';
import { showCommand } from '../show-command.mjs';

const resultsDir = join(buildDir, 'test-results');
const bin = name => join(root, 'node_modules', name);

/**
 * @typedef {object} Result
 * @property {number} passed
 * @property {readonly string[]} failures each test or hook that failed, with the first line of its error
 * @property {{ name: string, reason?: string }[]} skipped
 * @property {{ name: string, seconds: number }[]} [files] how long each took
 */

/**
 * Runs the C++ tests, which must be built.
 * @returns {Promise<Result>}
 */
export async function ctest() {
  const file = join(resultsDir, 'ctest.xml');
  rmSync(file, { force: true });
  const args = [
    '--test-dir',
    buildDir,
    '--output-on-failure',
    '--no-tests=error',
    '--timeout',
    '300',
    '--parallel',
    '2',
  ];
  const ok = await showCommand(findCtest() ?? 'ctest', [...args, '--output-junit', file]);
  return agree(ok, readResult(file, fromJunit));
}

/**
 * @param {string} name of the file with the results
 * @param {readonly string[]} args
 * @param {{ env?: Readonly<Record<string, string>>, later?: boolean, mayBeEmpty?: boolean }} [options] later: see
 * showCommand; mayBeEmpty: it is no failure that there is nothing to run
 * @returns {Promise<Result>}
 */
export async function vitest(name, args, { env = {}, later = false, mayBeEmpty = false } = {}) {
  const file = join(resultsDir, `${name}.json`);
  rmSync(file, { force: true });
  const reporters = ['--reporter=default', `--reporter=${join(root, 'scripts/lib/test/vitest-results.mjs')}`];
  const command = [bin('vitest/vitest.mjs'), 'run', ...args, ...reporters];
  const ok = await showCommand(process.execPath, command, { ...env, TEST_RESULTS: file }, { later });
  return agree(ok, readResult(file, JSON.parse), mayBeEmpty);
}

/**
 * The results of runs side by side.
 * @param {readonly Promise<Result>[]} runs
 * @returns {Promise<Result>}
 */
export async function together(runs) {
  return combined(await Promise.all(runs));
}

/** CPU seconds of the commands that have ended, with all that they started; 0 where the system does not tell. */
export function childrenCpuSeconds() {
  if (process.platform !== 'linux') return 0;
  // The name of the program, in brackets, may hold spaces. Times are in hundredths.
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

/**
 * @param {readonly Result[]} results
 * @returns {Result}
 */
export function combined(results) {
  return {
    passed: results.reduce((total, { passed }) => total + passed, 0),
    failures: results.flatMap(({ failures }) => failures),
    skipped: results.flatMap(({ skipped }) => skipped),
    files: results.flatMap(({ files = [] }) => files),
  };
}

/** A runner that crashed, or found fault without failing a test, has failed; so has one that ran nothing. */
function agree(ok, result, mayBeEmpty = false) {
  if (!result) return { passed: 0, failures: ['the runner wrote no results'], skipped: [] };
  const { passed, failures, skipped } = result;
  if (failures.length > 0) return result;
  if (passed + skipped.length === 0 && !mayBeEmpty) return { ...result, failures: ['no test was run'] };
  return ok ? result : { ...result, failures: ['the runner failed, and no test'] };
}

function readResult(file, parse) {
  try {
    return parse(readFileSync(file, 'utf8'));
  } catch (error) {
    console.log(`no results of this runner: ${error.message}`);
    return undefined;
  }
}

/** ctest's report: one <testcase> for each test, its status an attribute. */
function fromJunit(xml) {
  const result = { passed: 0, failures: [], skipped: [] };
  for (const [, attributes, body = ''] of xml.matchAll(
    /<testcase ([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g,
  )) {
    const [, name] = attributes.match(/name="([^"]*)"/) ?? [];
    const [, status] = attributes.match(/status="([^"]*)"/) ?? [];
    if (status === 'run') result.passed += 1;
    else if (status === 'fail') result.failures.push(name);
    else result.skipped.push({ name, reason: body.match(/<skipped message="([^"]*)"/)?.[1] });
  }
  return result;
}
