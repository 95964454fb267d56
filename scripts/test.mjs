import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { bootstrap } from './bootstrap.mjs';
import { darwinCheckReady } from './check/cross/darwin.mjs';
import { runChecks } from './check.mjs';
import { setupPackages } from './lib/build/npm-packages.mjs';
import { runMainUnderNewerNode } from './lib/newer-node.mjs';
import { root } from './lib/project.mjs';
import { SetupError } from './lib/setup-error.mjs';
import { showCommand } from './lib/show-command.mjs';
import { childrenCpuSeconds, combined, ctest, together, vitest } from './lib/test/test-runners.mjs';

const USAGE = `Usage: npm test                     checks, C++ tests, tests, and each flow once as a whole program
       npm test -- --changed        what the changes since the last commit concern
       npm test -- FILTER...        the tests whose paths contain a filter
       npm run test:all             every test, with every model variant
       npm run test:all -- --part NAME`;

/** @typedef {import('./lib/test/test-runners.mjs').Result} Result */
/** @typedef {{ name: string, run: (env: Record<string, string>, parts: readonly Part[]) => Promise<Result>, onlyAll?: boolean }} Part */

/** A file that takes so long is named. */
const SLOW_SECONDS = 15;

/** Every model variant, instead of one for each kind of layer. */
const WHOLE_MATRIX = { TEST_MATRIX: 'all' };

const BUILD = { name: 'build', run: build };

/** @type {readonly Part[]} */
const PARTS = [
  { name: 'checks', run: checks },
  { name: 'ctest', run: cppTests },
  { name: 'vitest', run: inProcess },
  { name: 'gpu', run: env => project('gpu', env) },
  { name: 'smoke', run: env => project('smoke', env) },
  { name: 'e2e', run: env => project('e2e', env), onlyAll: true },
  { name: 'alone', run: env => project('alone', env), onlyAll: true },
];

await runMainUnderNewerNode(async () => {
  const options = {
    help: { type: 'boolean' },
    all: { type: 'boolean' },
    part: { type: 'string' },
    changed: { type: 'boolean' },
  };
  const { values, positionals: filters } = parseArgs({ options, allowPositionals: true });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  await setupPackages();
  const results = [];
  const parts = chosenParts(values, filters);
  for (const { name, run } of parts) {
    console.log(`\n== ${name}`);
    const [start, cpuBefore] = [Date.now(), childrenCpuSeconds()];
    const result = await run(values.all ? WHOLE_MATRIX : {}, parts);
    const cpuSeconds = childrenCpuSeconds() - cpuBefore;
    results.push({ name, seconds: (Date.now() - start) / 1000, cpuSeconds, ...result });
  }
  summarise(results, values.changed);
});

/** @returns {readonly Part[]} */
function chosenParts({ all, part, changed }, filters) {
  const named = name => PARTS.find(part => part.name === name);
  const chosen = { name: 'vitest', run: env => selected(filters, changed, env) };
  if (changed) return [named('checks'), ...(nativeChanged() ? [named('ctest')] : []), chosen];
  if (filters.length > 0) return [BUILD, chosen];
  if (part === undefined) return PARTS.filter(({ onlyAll }) => all || !onlyAll);
  if (!named(part)) {
    const hint = `They are ${PARTS.map(({ name }) => name).join(', ')}.`;
    throw new SetupError(`there is no part '${part}'`, { hint });
  }
  return part === 'checks' ? [named(part)] : [BUILD, named(part)];
}

/** The checks run while the C++ is built. */
async function checks(env, parts) {
  const [failures] = await Promise.all([runChecks(), build(env, parts)]);
  return { passed: 0, failures, skipped: [] };
}

/** The C++ tests are built only where they run. */
async function build(_env, parts) {
  await bootstrap({ quiet: true, tests: parts.some(({ name }) => name === 'ctest') });
  return { passed: 0, failures: [], skipped: [] };
}

async function cppTests() {
  const result = await ctest();
  // Only if its tools are present: they are a 150 MB download (npm run check:darwin).
  if (!darwinCheckReady() || (await showCommand(process.execPath, ['scripts/check/cross/darwin.mjs'])))
    return result;
  return { ...result, failures: [...result.failures, 'darwin'] };
}

/** Side by side: two workers compute; what mostly waits needs little of a core. */
function inProcess(env) {
  return together([project('compute', env), project('waiting', env, { later: true })]);
}

function project(name, env, show = {}) {
  return vitest(name, ['--project', name], { env, ...show });
}

function selected(filters, changed, env) {
  if (!changed) return vitest('selected', filters, { env });
  const projects = ['compute', 'waiting', 'smoke'].flatMap(name => ['--project', name]);
  return vitest('changed', ['--changed', ...projects, ...filters], { env, mayBeEmpty: true });
}

function nativeChanged() {
  return execFileSync('git', ['status', '--porcelain', '--', 'native'], { cwd: root }).length > 0;
}

function summarise(results, mayBeEmpty) {
  console.log('');
  for (const { name, seconds, cpuSeconds, ...result } of results) {
    const isCheck = result.passed + result.failures.length + result.skipped.length === 0;
    const times = `${`${Math.round(seconds)} s`.padStart(6)}${`${Math.round(cpuSeconds)} CPU s`.padStart(12)}`;
    console.log(`${name.padEnd(9)}${times}  ${isCheck ? 'ok' : counts(result)}`);
    printSlow(result.files ?? []);
  }
  const all = combined(results);
  printSkipped(all.skipped);
  if (all.failures.length > 0) console.log(`Failed:\n${all.failures.map(name => `  ${name}`).join('\n')}`);
  console.log(counts(all));
  if (all.failures.length > 0 || (all.passed === 0 && !mayBeEmpty)) process.exitCode = 1;
}

/** Names the slow files of a part. */
function printSlow(files) {
  const slow = files.filter(({ seconds }) => seconds >= SLOW_SECONDS).sort((a, b) => b.seconds - a.seconds);
  for (const { name, seconds } of slow) console.log(`${`${Math.round(seconds)} s`.padStart(21)}  ${name}`);
}

/** @param {Result} result */
function counts({ passed, failures, skipped }) {
  return `${passed} passed, ${failures.length} failed, ${skipped.length} skipped`;
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
