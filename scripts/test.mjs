import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { bootstrap } from './bootstrap.mjs';
import { darwinCheckReady } from './check/cross/darwin.mjs';
import { checkLayers } from './check/layers.mjs';
import { runMainUnderNewerNode } from './lib/newer-node.mjs';
import { root } from './lib/project.mjs';
import { showCommand } from './lib/show-command.mjs';
import { ALONE, MACHINES } from './lib/test/e2e-alone.mjs';
import { combined, ctest, together, vitest } from './lib/test/test-runners.mjs';
import { WAITING } from './lib/test/waiting.mjs';

const bin = name => join(root, 'node_modules', name);

/** @typedef {import('./lib/test/test-runners.mjs').Result} Result */

/** A file that takes so long is named. */
const SLOW_SECONDS = 15;

/** Fast checks first. A check counts as one failure when it fails, and as nothing when it passes. */
const PARTS = [
  { name: 'biome', run: () => check([bin('@biomejs/biome/bin/biome'), 'check', '.']) },
  {
    name: 'types',
    run: () => check([bin('typescript/bin/tsc'), '-p', 'tsconfig.json', '--noEmit']),
  },
  { name: 'page', run: () => check([bin('typescript/bin/tsc'), '-p', 'web', '--noEmit']) },
  { name: 'layers', run: layers },
  { name: 'unused', run: () => check(['scripts/check/unused.mjs']) },
  { name: 'licences', run: () => check(['scripts/check/licences.mjs']) },
  { name: 'package', run: () => check(['scripts/check/package.mjs']) },
  { name: 'library', run: () => check(['scripts/check/public-types.mjs']) },
  // Only if its tools are present: they are a 150 MB download (npm run check:darwin).
  ...(darwinCheckReady() ? [{ name: 'darwin', run: () => check(['scripts/check/cross/darwin.mjs']) }] : []),
  { name: 'ctest', run: ctest },
  { name: 'vitest', run: inProcess },
  // The engine's tests again, with every decision of a GPU.
  { name: 'gpu', run: () => vitest('gpu', ['--config', 'vitest.gpu.config.ts']) },
  {
    name: 'e2e',
    run: () =>
      vitest('e2e', ['test/e2e', ...[...ALONE, ...MACHINES].flatMap(path => ['--exclude', excluded(path)])]),
  },
  { name: 'machines', run: () => vitest('machines', MACHINES) },
  { name: 'alone', run: () => vitest('alone', [...ALONE, '--no-file-parallelism']) },
];

/** Two workers compute; what mostly waits needs little of a core beside them. */
function inProcess() {
  const others = ['test/e2e/**', ...WAITING].flatMap(path => ['--exclude', path]);
  return together([
    vitest('vitest', others),
    vitest('waiting', [...WAITING, '--no-file-parallelism'], {}, { later: true }),
  ]);
}

function excluded(path) {
  return path.endsWith('.ts') ? path : `${path}/**`;
}

await runMainUnderNewerNode(async () => {
  const { values } = parseArgs({ options: { help: { type: 'boolean' } } });
  if (values.help) {
    console.log('Usage: npm test. Runs every check and test; for some files: npx vitest run FILE...');
    return;
  }
  await bootstrap({ quiet: true, tests: true });
  const results = [];
  for (const part of PARTS) {
    console.log(`\n== ${part.name}`);
    const start = Date.now();
    const result = await part.run();
    results.push({ name: part.name, seconds: Math.round((Date.now() - start) / 1000), ...result });
  }
  summarise(results);
});

function summarise(results) {
  console.log('');
  for (const { name, seconds, ...result } of results) {
    const isCheck = result.passed + result.failures.length + result.skipped.length === 0;
    console.log(`${name.padEnd(9)}${`${seconds} s`.padStart(6)}  ${isCheck ? 'ok' : counts(result)}`);
    printSlow(result.files ?? []);
  }
  const all = combined(results);
  printSkipped(all.skipped);
  if (all.failures.length > 0) console.log(`Failed:\n${all.failures.map(name => `  ${name}`).join('\n')}`);
  console.log(counts(all));
  if (all.failures.length > 0 || all.passed === 0) process.exitCode = 1;
}

/** Those that a part waits for. */
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

/** @returns {Promise<Result>} */
async function check(args) {
  const ok = await showCommand(process.execPath, args);
  return { passed: 0, failures: ok ? [] : [basename(args[0])], skipped: [] };
}

/** @returns {Promise<Result>} */
async function layers() {
  const breaches = checkLayers();
  for (const line of breaches) console.log(line);
  return { passed: 0, failures: breaches, skipped: [] };
}
