// Shows on a Mac (or another machine) that everything works there: set-up, doctor, C++ tests, goldens, the demo, its
// tools, seeds, speed. Goes on after a failure, and writes one JSON file and a page to attach to a report.
// Usage: npm run prove:mac [-- --to FOLDER] [--quick]   --quick: without the tests of the engine and the bench
import { mkdirSync, writeFileSync } from 'node:fs';
import { arch, cpus, platform, release, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bootstrap } from '../bootstrap.mjs';
import { findMlx, mlxVersion } from '../build/mlx.mjs';
import { readStamp } from '../lib/build/fingerprint.mjs';
import { buildDir, cacheDir, distDir, root } from '../lib/project.mjs';
import { CommandError, runCommand } from '../lib/run-command.mjs';
import { runMain } from '../lib/setup-error.mjs';
import { ctest, vitest } from '../lib/test/test-runners.mjs';
import { installedPeers, proofPage } from './proof.mjs';

const main = join(distDir, 'cli', 'main.js');
const program = (...args) => runCommand(process.execPath, [main, ...args], { cwd: root });

/** Each resolves with what it has to show, or throws. `slow`: minutes. */
const STEPS = [
  { name: 'set-up', run: () => bootstrap({ quiet: true, tests: true }) },
  { name: 'doctor', run: async () => ({ output: await program('doctor', '--json') }) },
  { name: 'C++ tests', run: async () => counted(await ctest()) },
  {
    name: 'goldens',
    run: async () => counted(await vitest('goldens', ['--project', 'compute', 'test/golden'])),
  },
  {
    name: 'engine',
    slow: true,
    run: async () => counted(await vitest('engine', ['--project', 'compute', 'test/engine', 'test/native'])),
  },
  { name: 'demo', run: async () => expecting(await ask('What is the capital of France?'), /Paris/) },
  { name: 'tools', run: async () => expecting(await ask('What is 17 plus 25?'), /42/) },
  { name: 'seeds', run: sameTextForASeed },
  { name: 'bench', slow: true, run: bench },
];

const ask = (prompt, ...options) => program('demo', '--quiet', '-p', prompt, ...options);

function expecting(output, pattern) {
  if (!pattern.test(output)) throw new Error(`expected ${pattern} in: ${output}`);
  return { output };
}

function counted({ passed, failures, skipped }) {
  const counts = { passed, failed: failures.length, skipped: skipped.length };
  if (failures.length > 0) throw Object.assign(new Error(`failed:\n${failures.join('\n')}`), { counts });
  return { counts };
}

async function sameTextForASeed() {
  const tell = seed => ask('Tell me a story.', '--temperature', '1', '--seed', seed, '--max-tokens', '60');
  const [first, again, other] = [await tell('7'), await tell('7'), await tell('8')];
  if (first !== again) throw new Error(`seed 7 gave two texts:\n${first}\n${again}`);
  if (first === other) throw new Error(`seeds 7 and 8 gave the same text:\n${first}`);
  return { output: first };
}

async function bench() {
  const peers = installedPeers(cacheDir());
  const compare = peers.length > 0 ? ['--compare', peers.join(',')] : [];
  const report = await program('bench', 'demo', '--json', '--runs', '3', ...compare);
  return { report: JSON.parse(report.slice(report.indexOf('{'))) };
}

/** One step's record; a failure is a record too. */
async function prove({ name, run }) {
  const started = Date.now();
  const seconds = () => Math.round((Date.now() - started) / 100) / 10;
  try {
    return { name, ok: true, ...(await run()), seconds: seconds() };
  } catch (error) {
    const output = error instanceof CommandError ? error.tail(40) : undefined;
    const counts = error.counts && { counts: error.counts };
    return {
      name,
      ok: false,
      error: error.message,
      ...(output && { output }),
      ...counts,
      seconds: seconds(),
    };
  }
}

async function facts() {
  const commit = await runCommand('git', ['rev-parse', 'HEAD'], { cwd: root }).catch(() => 'unknown');
  const system = platform() === 'darwin' ? await runCommand('sw_vers', ['-productVersion']) : release();
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: commit.trim(),
    platform: `${platform()}-${arch()}`,
    system: system.trim(),
    chip: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGB: Math.round(totalmem() / 1e9),
    node: process.versions.node,
    mlx: { version: mlxVersion, source: findMlx()?.source, wheel: readStamp('mlx')?.platform },
  };
}

await runMain(async () => {
  const { values } = parseArgs({
    options: {
      to: { type: 'string', default: join(buildDir, 'proof') },
      quick: { type: 'boolean', default: false },
    },
  });
  const steps = [];
  for (const step of STEPS.filter(({ slow }) => !(slow && values.quick))) {
    const record = await prove(step);
    console.log(`${record.ok ? 'ok    ' : 'FAILED'} ${record.name}, ${record.seconds} s`);
    steps.push(record);
  }
  const proof = { ...(await facts()), steps };
  const folder = resolve(values.to);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${proof.platform}-${proof.date}`);
  writeFileSync(`${path}.json`, `${JSON.stringify(proof, null, 2)}\n`);
  writeFileSync(`${path}.md`, proofPage(proof));
  console.log(`Wrote ${path}.json and ${path}.md`);
  if (steps.some(({ ok }) => !ok)) process.exitCode = 1;
});
