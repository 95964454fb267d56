import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprint, listFiles, readStamp, writeStamp } from '../lib/build/fingerprint.mjs';
import { withLock } from '../lib/lock.mjs';
import { distDir, root, vendorDir } from '../lib/project.mjs';
import { CommandError, runCommand } from '../lib/run-command.mjs';
import { SetupError } from '../lib/setup-error.mjs';

const isSource = path => path.endsWith('.ts') || path.endsWith('.tsx');

/** True if dist/ is compiled from the current src/. */
export function distReady() {
  const sources = listFiles('src', isSource);
  const outputs = sources.map(path => join(root, outputOf(path)));
  return (
    readStamp('typescript')?.fingerprint === inputsOf(sources) && outputs.every(path => existsSync(path))
  );
}

/** Compiles src/ to dist/ unless it is up to date. */
export async function buildDist() {
  if (distReady()) return;
  await withLock(join(vendorDir, '.dist.lock'), async () => {
    if (!distReady()) await compile();
  });
}

async function compile() {
  const sources = listFiles('src', isSource);
  const before = inputsOf(sources);
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  try {
    await runCommand(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new SetupError('the TypeScript sources do not compile', { output: error.tail(30) });
  }
  removeOrphans(new Set(sources.map(outputOf)));
  writeStamp('typescript', { fingerprint: before });
}

/** Outputs of deleted sources would still be importable, and be published. */
function removeOrphans(outputs) {
  for (const path of listFiles('dist', path => !path.startsWith('dist/web/'))) {
    if (!outputs.has(path.replace(/\.d\.ts$/, '.js'))) rmSync(join(distDir, '..', path));
  }
}

const outputOf = path => path.replace(/^src\//, 'dist/').replace(/\.tsx?$/, '.js');

const inputsOf = sources =>
  fingerprint([...sources, 'tsconfig.json', 'tsconfig.build.json', 'package-lock.json']);
