// Builds the C++ unit tests with the compiler's sanitizers and runs them; a report fails the test that caused it.
// Arguments: `address` (AddressSanitizer and UndefinedBehaviorSanitizer, also for the addon in Node) or `thread`
// (ThreadSanitizer).
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { findCompiler } from '../../lib/build/compiler.mjs';
import { root } from '../../lib/project.mjs';
import { runMain, SetupError } from '../../lib/setup-error.mjs';
import { showCommand } from '../../lib/show-command.mjs';
import { buildInstrumented } from './instrumented.mjs';

const ADDRESS = 'detect_stack_use_after_return=1:strict_string_checks=1:check_initialization_order=1';
const SUPPRESSIONS = join(root, 'native/test/thread-sanitizer.txt');

const ENVIRONMENTS = {
  address: { ASAN_OPTIONS: ADDRESS, UBSAN_OPTIONS: 'print_stacktrace=1' },
  thread: {
    TSAN_OPTIONS: `second_deadlock_stack=1:suppressions=${SUPPRESSIONS}`,
    // Even on one core: a kernel's threads must be able to race.
    LLM_HOST_THREADS: '3',
  },
};

/** Tests of the addon that load, generate, cancel, refuse and close, in a minute. */
const IN_NODE = [
  ...['adapters', 'family-errors', 'generation', 'lifecycle', 'load-errors'].map(
    name => `test/native/${name}`,
  ),
  ...[
    'test/engine/saved-cache',
    'test/engine/quantize.test',
    'test/golden/caches/family-reuse',
    'test/golden/decoders/tiny',
  ],
];

function unitTests(kind, { dir, ctest }) {
  const args = ['--test-dir', dir, '--output-on-failure', '--no-tests=error', '--parallel', '2'];
  return showCommand(ctest, args, ENVIRONMENTS[kind]);
}

/** The addon under AddressSanitizer in an uninstrumented Node: the runtime must be loaded first. */
function inNode(dir) {
  const { command, version } = findCompiler();
  if (process.platform !== 'linux' || !version.startsWith('g++')) {
    console.log(`The addon was not tested in Node: that takes g++ on Linux, not ${version}`);
    return true;
  }
  const runtime = execFileSync(command, ['-print-file-name=libasan.so'], { encoding: 'utf8' }).trim();
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  return showCommand(
    process.execPath,
    [vitest, 'run', '--project=compute', '--testTimeout=300000', ...IN_NODE],
    {
      LLM_HOST_ADDON: join(dir, 'llm_host.node'),
      LD_PRELOAD: runtime,
      // Node does not free everything at exit.
      ASAN_OPTIONS: `detect_leaks=0:${ADDRESS}`,
      UBSAN_OPTIONS: ENVIRONMENTS.address.UBSAN_OPTIONS,
    },
  );
}

await runMain(async () => {
  const [kind = ''] = process.argv.slice(2);
  if (!Object.hasOwn(ENVIRONMENTS, kind)) {
    throw new SetupError(`'${kind}' is not a sanitizer`, {
      hint: 'Run: node scripts/check/native/sanitized.mjs address|thread',
    });
  }
  const targets = kind === 'address' ? ['unit_tests', 'llm_host'] : ['unit_tests'];
  const build = await buildInstrumented(kind, targets);
  const passed = await unitTests(kind, build);
  const passedInNode = kind !== 'address' || (await inNode(build.dir));
  if (!passed || !passedInNode) process.exitCode = 1;
});
