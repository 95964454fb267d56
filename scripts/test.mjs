import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bootstrap } from './bootstrap.mjs';
import { darwinCheckReady } from './check/darwin.mjs';
import { checkLayers } from './check/layers.mjs';
import { findCtest } from './lib/build-tools.mjs';
import { buildDir, root } from './lib/project.mjs';
import { runMain } from './lib/setup-error.mjs';
import { showCommand } from './lib/show-command.mjs';

const resultsDir = join(buildDir, 'test-results');
const bin = name => join(root, 'node_modules', name);

/**
 * @typedef {object} Result
 * @property {number} passed
 * @property {number} failed
 * @property {{ name: string, reason?: string }[]} skipped
 */

/** Fast checks first. A check counts as one failure when it fails, and as nothing when it passes. */
const PARTS = [
  { name: 'biome', run: () => check(process.execPath, [bin('@biomejs/biome/bin/biome'), 'check', '.']) },
  {
    name: 'types',
    run: () => check(process.execPath, [bin('typescript/bin/tsc'), '-p', 'tsconfig.json', '--noEmit']),
  },
  { name: 'layers', run: layers },
  { name: 'unused', run: () => check(process.execPath, ['scripts/check/unused.mjs']) },
  { name: 'licences', run: () => check(process.execPath, ['scripts/check/licences.mjs']) },
  { name: 'package', run: () => check(process.execPath, ['scripts/check/package.mjs']) },
  // Only if its tools are present: they are a 150 MB download (npm run check:darwin).
  ...(darwinCheckReady()
    ? [{ name: 'darwin', run: () => check(process.execPath, ['scripts/check/darwin.mjs']) }]
    : []),
  { name: 'ctest', run: ctest },
  { name: 'vitest', run: () => vitest('vitest', ['--exclude', 'test/e2e/**']) },
  { name: 'e2e', run: () => vitest('e2e', ['test/e2e', '--no-file-parallelism']) },
];

await runMain(async () => {
  await bootstrap({ quiet: true, tests: true });
  const results = [];
  for (const part of PARTS) {
    console.log(`\n== ${part.name}`);
    results.push({ name: part.name, ...(await part.run()) });
  }
  summarise(results);
});

function summarise(results) {
  console.log('');
  for (const { name, passed, failed, skipped } of results) {
    const isCheck = passed + failed + skipped.length === 0;
    console.log(
      `${name.padEnd(9)}${isCheck ? 'ok' : `${passed} passed, ${failed} failed, ${skipped.length} skipped`}`,
    );
  }
  printSkipped(results.flatMap(({ skipped }) => skipped));
  const sum = count => results.reduce((total, result) => total + count(result), 0);
  const passed = sum(result => result.passed);
  const failed = sum(result => result.failed);
  console.log(`${passed} passed, ${failed} failed, ${sum(result => result.skipped.length)} skipped`);
  if (failed > 0 || passed === 0) process.exitCode = 1;
}

/** Each reason once, with the tests below it. */
function printSkipped(tests) {
  const byReason = new Map();
  for (const { name, reason = 'no reason given' } of tests) {
    byReason.set(reason, [...(byReason.get(reason) ?? []), name]);
  }
  for (const [reason, names] of byReason) {
    console.log(`Skipped, ${reason}:\n${names.map(name => `  ${name}`).join('\n')}`);
  }
}

/** @returns {Promise<Result>} */
async function check(command, args) {
  const ok = await showCommand(command, args);
  return { passed: 0, failed: ok ? 0 : 1, skipped: [] };
}

/** @returns {Promise<Result>} */
async function layers() {
  const breaches = checkLayers();
  for (const line of breaches) console.log(line);
  return { passed: 0, failed: breaches.length > 0 ? 1 : 0, skipped: [] };
}

/** @returns {Promise<Result>} */
async function ctest() {
  const file = join(resultsDir, 'ctest.xml');
  rmSync(file, { force: true });
  const args = ['--test-dir', buildDir, '--output-on-failure', '--no-tests=error', '--timeout', '300'];
  const ok = await showCommand(findCtest() ?? 'ctest', [...args, '--output-junit', file]);
  return agree(ok, readResult(file, fromJunit));
}

/** @returns {Promise<Result>} */
async function vitest(name, args) {
  const file = join(resultsDir, `${name}.json`);
  rmSync(file, { force: true });
  const reporters = ['--reporter=default', `--reporter=${join(root, 'scripts/lib/vitest-results.mjs')}`];
  const ok = await showCommand(process.execPath, [bin('vitest/vitest.mjs'), 'run', ...args, ...reporters], {
    TEST_RESULTS: file,
  });
  return agree(ok, readResult(file, JSON.parse));
}

/** A runner that crashed, or found fault without failing a test, has failed; so has one that ran nothing. */
function agree(ok, result) {
  if (!result) return { passed: 0, failed: 1, skipped: [] };
  const ranNothing = result.passed + result.failed + result.skipped.length === 0;
  return result.failed === 0 && (!ok || ranNothing) ? { ...result, failed: 1 } : result;
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
  const result = { passed: 0, failed: 0, skipped: [] };
  for (const [, attributes, body = ''] of xml.matchAll(
    /<testcase ([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g,
  )) {
    const [, name] = attributes.match(/name="([^"]*)"/) ?? [];
    const [, status] = attributes.match(/status="([^"]*)"/) ?? [];
    if (status === 'run') result.passed += 1;
    else if (status === 'fail') result.failed += 1;
    else result.skipped.push({ name, reason: body.match(/<skipped message="([^"]*)"/)?.[1] });
  }
  return result;
}
