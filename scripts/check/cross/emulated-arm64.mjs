import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeWeights } from '../../../test/fixtures/make.mjs';
import { findBuildTools } from '../../lib/build/build-tools.mjs';
import { sha256 } from '../../lib/build/fingerprint.mjs';
import { hintFor } from '../../lib/hint-for.mjs';
import { arm64Dir, root, wheels } from '../../lib/project.mjs';
import { CommandError, runCommand } from '../../lib/run-command.mjs';
import { SetupError } from '../../lib/setup-error.mjs';

export const EMULATOR = 'qemu-aarch64-static';
/** The C and C++ libraries for arm64 that came with the cross compiler. */
const SYSROOT = '/usr/aarch64-linux-gnu';
/** The newest CPU, and one without float16 arithmetic and dot products; only kernels differ between them. */
const CPUS = [
  { name: 'max', tests: '.' },
  { name: 'cortex-a53', tests: 'simd|packed|attention' },
];
const nodeDir = join(arm64Dir, 'node');

/** Undefined without the emulator. */
export async function emulatorVersion() {
  try {
    return (await runCommand(EMULATOR, ['--version'])).split('\n')[0];
  } catch (error) {
    if (error instanceof CommandError && error.notFound) return undefined;
    throw error;
  }
}

const environment = cpu => ({ ...process.env, QEMU_LD_PREFIX: SYSROOT, QEMU_CPU: cpu });

/** Runs the C++ unit tests, which ctest passes to the emulator; true if all passed. */
export async function runCppTests(objectDir) {
  makeWeights();
  const { ctest } = await findBuildTools();
  let allPassed = true;
  for (const { name, tests } of CPUS) {
    const args = ['--test-dir', objectDir, '--output-on-failure', '--no-tests=error', '-R', tests];
    allPassed = (await show(`C++ tests, CPU ${name}`, ctest, args, environment(name))) && allPassed;
  }
  return allPassed;
}

/** Runs the addon in a Node for arm64: tiny models, whose replies and log-probabilities must match the reference. */
export async function runGoldens(addon) {
  const node = await fetchNode();
  const script = join(root, 'scripts/check/cross/tiny-goldens.mjs');
  const env = { ...environment('max'), LLM_HOST_ADDON: addon };
  return show('tiny models', EMULATOR, [node, '--no-warnings', script], env);
}

async function show(what, command, args, env) {
  const started = performance.now();
  let passed = true;
  let output;
  try {
    output = await runCommand(command, args, { cwd: root, env });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    output = error.output;
    passed = false;
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  // If all pass, only the summary is shown.
  const lines = passed ? output.split('\n').filter(line => /passed|equal/.test(line)) : [output];
  console.log(`${what}: ${passed ? 'passed' : 'FAILED'} in ${seconds} s\n  ${lines.join('\n  ')}`);
  return passed;
}

/** Node for arm64, from npm; its sha256 is pinned in `wheels.json`. */
async function fetchNode() {
  const { package: name, version, sha256: wanted } = wheels.arm64Node;
  const target = join(nodeDir, `${name}-${version}`);
  const program = join(target, 'package/bin/node');
  if (existsSync(program)) return program;
  console.error(`fetching Node ${version} for arm64 (52 MB) ...`);
  rmSync(nodeDir, { recursive: true, force: true });
  const temp = `${target}.new`;
  mkdirSync(temp, { recursive: true });
  try {
    await runCommand('npm', ['pack', '--silent', '--pack-destination', temp, `${name}@${version}`]);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new SetupError(`npm could not fetch ${name} ${version}`, {
      output: error.tail(),
      hint: hintFor(error.output),
    });
  }
  const archive = join(temp, readdirSync(temp)[0]);
  if ((await sha256(archive)) !== wanted) throw new SetupError(`${archive} does not match its sha256`);
  await runCommand('tar', ['-xzf', archive, '-C', temp, 'package/bin/node', 'package/LICENSE']);
  rmSync(archive);
  renameSync(temp, target);
  return program;
}
