// The long search for inputs that break a native reader, with clang's libFuzzer under AddressSanitizer and
// UndefinedBehaviorSanitizer. FUZZ_TARGETS, FUZZ_INPUTS (default 1,000,000 each), FUZZ_SEED and FUZZ_SAVE=1 as for
// `npm run fuzz`. Prints a row for each target; a finding is a file in build/fuzz.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { firstCompiler } from '../../lib/build/compiler.mjs';
import { buildDir, root } from '../../lib/project.mjs';
import { CommandError, runCommand } from '../../lib/run-command.mjs';
import { runMain, SetupError } from '../../lib/setup-error.mjs';
import { coverageOf } from './fuzz-coverage.mjs';
import { buildInstrumented } from './instrumented.mjs';

const CORPUS = join(root, 'native/test/fuzz/corpus');
const CLANGS = ['clang++', ...[21, 20, 19, 18, 17, 16, 15, 14].map(version => `clang++-${version}`)];

/** The sources that each target is about. */
const FILES = {
  adapter: /native\/weights\/(adapters|files\/(tensor_|file|finite))/,
  config: /native\/(models|common\/value|weights\/quantization\.|layers\/rope)/,
  gguf: /native\/weights\/(ggml|weight_store|files\/(tensor_|file|finite|dtypes))/,
  safetensors: /native\/weights\/files\/(tensor_|file|finite|dtypes|dims)/,
  saved_cache: /native\/(engine\/cache\/cache_file|layers\/cache)/,
  weight_index: /native\/weights\/files\/(tensor_files|file\.)/,
};

/** A pool of threads costs a small model more than it gives. */
const ENVIRONMENT = {
  LLM_HOST_THREADS: '1',
  ASAN_OPTIONS: 'detect_stack_use_after_return=1:strict_string_checks=1:check_initialization_order=1',
  UBSAN_OPTIONS: 'print_stacktrace=1',
};

function findClang() {
  const named = process.env.CXX ? [process.env.CXX] : CLANGS;
  const clang = firstCompiler(named, {
    missing: 'no clang was found, and libFuzzer comes with it',
    hint: 'Install it with: sudo apt-get install clang (Debian 12, Ubuntu), or name one in $CXX.',
    minimum: { gcc: 12, clang: 14 },
  });
  if (clang.version.startsWith('clang')) return clang;
  throw new SetupError(`${clang.command} is ${clang.version}; libFuzzer comes with clang`);
}

function targetsOf(names) {
  const known = Object.keys(FILES);
  const unknown = names.find(name => !known.includes(name));
  if (unknown !== undefined)
    throw new SetupError(`there is no target ${unknown}; there are ${known.join(', ')}`);
  return names.length > 0 ? names : known;
}

/** Folders with inputs to begin with. */
function seedsOf(name) {
  const corpus = join(CORPUS, name);
  return name === 'config' ? [corpus, familySeeds()] : [corpus];
}

/** The configuration of every tiny model, loaded as stored, exactly, and quantized. @returns their folder */
function familySeeds() {
  const families = join(root, 'test/fixtures/families');
  const folder = join(buildDir, 'fuzz/config-seeds');
  mkdirSync(folder, { recursive: true });
  for (const path of readdirSync(families, { recursive: true })) {
    if (basename(path) !== 'config.json') continue;
    const fixture = dirname(path).replaceAll(sep, '/');
    const config = { fixture, ...JSON.parse(readFileSync(join(families, path), 'utf8')) };
    const file = join(folder, fixture.replaceAll('/', '-'));
    writeFileSync(file, JSON.stringify(config));
    writeFileSync(`${file}-exact`, JSON.stringify({ ...config, load: { exact: true } }));
    writeFileSync(`${file}-quantized`, JSON.stringify({ ...config, load: { bits: 4, kv_bits: 8 } }));
  }
  return folder;
}

/**
 * Inputs for each process: frames that an exception leaves stay taken on AddressSanitizer's stack of its own, and after
 * some 400,000 inputs it takes four fifths of the time to find a free one.
 */
const PART = 100_000;

/** Runs a target in parts; `found` gets the inputs that reach new code. `broken`: the report of a finding. */
async function search(program, name, found) {
  const wanted = Number(process.env.FUZZ_INPUTS ?? 1_000_000);
  const seed = Number(process.env.FUZZ_SEED ?? 0);
  let inputs = 0;
  for (let part = 0; ; part++) {
    const runs = Math.min(PART, wanted - inputs);
    const result = await searchPart(program, name, found, runs, seed + part);
    const executed = Number(/stat::number_of_executed_units:\s*(\d+)/.exec(result.output)?.[1] ?? 0);
    inputs += executed;
    if (result.broken || executed === 0 || inputs >= wanted) return { ...result, inputs };
  }
}

async function searchPart(program, name, found, runs, seed) {
  const findings = join(buildDir, 'fuzz', name);
  mkdirSync(findings, { recursive: true });
  const args = [
    ...[`-runs=${runs}`, `-seed=${seed}`],
    // An input takes a millisecond at most; a busy machine and the sanitizers make it slow.
    ...['-timeout=20', '-rss_limit_mb=4096', '-malloc_limit_mb=1024', '-max_len=16384'],
    ...['-print_final_stats=1', '-print_coverage=1', `-artifact_prefix=${findings}/`],
    ...[found, ...seedsOf(name)],
  ];
  let output = '';
  const onText = text => {
    output += text;
  };
  try {
    await runCommand(program, args, { cwd: root, env: { ...process.env, ...ENVIRONMENT }, onText });
    return { output };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { output, broken: error.tail(60) };
  }
}

/** Adds the few of them, small ones first, that reach code which the corpus does not reach yet. */
function saveCorpus(program, name, found) {
  const args = ['-merge=1', '-use_counters=0', join(CORPUS, name), found];
  execFileSync(program, args, { cwd: root, stdio: 'ignore' });
}

await runMain(async () => {
  const targets = targetsOf((process.env.FUZZ_TARGETS ?? '').split(',').filter(Boolean));
  const { dir } = await buildInstrumented('fuzz', ['fuzz_targets'], findClang());
  console.log('| target | inputs | seconds | edges of its files | corpus | findings |');
  console.log('| --- | --- | --- | --- | --- | --- |');
  for (const name of targets) {
    const program = join(dir, 'fuzz', `fuzz_${name}`);
    const found = join(buildDir, 'fuzz', `${name}-found`);
    rmSync(found, { recursive: true, force: true });
    mkdirSync(found, { recursive: true });
    const begun = performance.now();
    const { output, inputs, broken } = await search(program, name, found);
    const seconds = ((performance.now() - begun) / 1000).toFixed(0);
    const size = readdirSync(join(CORPUS, name)).length;
    const covered = coverageOf(output, FILES[name]);
    console.log(`| ${name} | ${inputs} | ${seconds} | ${covered} | ${size} | ${broken ? 1 : 0} |`);
    if (process.env.FUZZ_SAVE === '1' && !broken) saveCorpus(program, name, found);
    if (!broken) continue;
    console.error(`${broken}\nThe input is in ${relative(root, join(buildDir, 'fuzz', name))}`);
    process.exitCode = 1;
  }
});
