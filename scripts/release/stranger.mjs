import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../lib/project.mjs';
import { SetupError } from '../lib/setup-error.mjs';

/** Programs that a newcomer writes from docs/library.md alone, with their output and exit codes. */
const PROGRAMS = [
  { file: 'chat.js', prints: /^add .*\b42\b.*\n.*list_files/ },
  { file: 'common.cjs', prints: /Paris/ },
  { file: 'worker.js', prints: /Paris/ },
  { file: 'two-models.js', prints: /Paris[\s\S]*Paris[\s\S]*^true$/m },
  { file: 'abort.js', prints: /^true .*Paris/ },
  { file: 'no-model.js', prints: /^MODEL_NOT_FOUND$/m, code: 66 },
  { file: 'leave.js', prints: /^$/, code: 7 },
];
const AI_SDK = { file: 'ai-sdk.js', prints: /^.*Paris.*\n.*Paris[\s\S]*^42 .*42.*\nstring string\ntrue$/m };
const MAX_LINES = 15;
const LIB = ['es2023', 'esnext.disposable'];

/**
 * Compiles the programs in a project that has the packed packages, strictly, and runs each.
 * @param {string} folder
 * @param {(args: readonly string[]) => import('node:child_process').SpawnSyncReturns<string>} node runs Node there
 */
export function proveStranger(folder, node) {
  const source = join(root, 'scripts', 'release', 'stranger');
  cpSync(source, folder, { recursive: true });
  cpSync(join(root, 'test/fixtures/encoders/bert-mean'), join(folder, 'embedder'), { recursive: true });
  const lines = readFileSync(join(source, 'chat.ts'), 'utf8').trimEnd().split('\n').length;
  if (lines > MAX_LINES) throw new SetupError(`chat.ts has ${lines} lines`);
  compile(folder, node, { lib: LIB, include: ['*.ts', '*.cts'], exclude: ['ai-sdk.ts'] });
  for (const program of PROGRAMS) runProgram(program, folder, node);
}

/**
 * As `proveStranger`, for the AI SDK, in whatever version the project that it has left has now.
 * @type {typeof proveStranger}
 */
export function proveAiSdk(folder, node) {
  // Its own types are those of browsers.
  compile(folder, node, { lib: [...LIB, 'dom'], include: ['ai-sdk.ts'] });
  runProgram(AI_SDK, folder, node);
}

function compile(folder, node, { lib, ...files }) {
  const compilerOptions = {
    target: 'es2022',
    lib,
    module: 'nodenext',
    types: ['node'],
    strict: true,
    skipLibCheck: false,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, ...files }));
  expectRun('tsc', node([join(folder, 'node_modules/typescript/bin/tsc'), '-p', folder]), { prints: /^$/ });
}

function runProgram(program, folder, node) {
  expectRun(program.file, node([join(folder, program.file)]), program);
  console.log(`${program.file}: as it should`);
}

function expectRun(what, { status, stdout, stderr }, { prints, code = 0 }) {
  if (status === code && prints.test(stdout) && stderr === '') return;
  throw new SetupError(`${what} ended with ${status}`, { output: `${stdout}\n${stderr}` });
}
