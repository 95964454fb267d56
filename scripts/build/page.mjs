// Builds the page that `serve` shows, web/, into dist/web. Usage: node scripts/build/page.mjs [--watch]
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fingerprint, listFiles, readStamp, writeStamp } from '../lib/build/fingerprint.mjs';
import { withLock } from '../lib/lock.mjs';
import { distDir, isMain, root, vendorDir } from '../lib/project.mjs';
import { runMain, SetupError } from '../lib/setup-error.mjs';
import { bundledLicences } from './page-licences.mjs';

/** The oldest browsers with everything that the styles use. */
const BROWSERS = ['chrome123', 'firefox121', 'safari17.5'];

const outDir = join(distDir, 'web');

/** True if dist/web is built from the current web/. */
export function pageReady() {
  const stamp = readStamp('page');
  return stamp?.inputs === inputs() && stamp.outputs === outputs();
}

/** Builds the page unless it is up to date. */
export async function buildPage() {
  if (pageReady()) return;
  await withLock(join(vendorDir, '.page.lock'), async () => {
    if (!pageReady()) await bundle();
  });
}

async function bundle() {
  const before = inputs();
  rmSync(outDir, { recursive: true, force: true });
  try {
    await runVite();
  } catch (error) {
    throw new SetupError('the page cannot be built', { output: String(error.message) });
  }
  writeStamp('page', { inputs: before, outputs: outputs() });
}

/** Loaded late: bootstrap installs it. */
async function runVite(watch = false) {
  const { build } = await import('vite');
  await build(options(watch));
}

/** No inlined files and no preloading code: the page's policy allows neither. */
function options(watch) {
  return {
    configFile: false,
    root: join(root, 'web'),
    base: './',
    publicDir: false,
    logLevel: watch ? 'info' : 'warn',
    plugins: [bundledLicences('page/licences.txt')],
    build: {
      outDir,
      emptyOutDir: true,
      assetsDir: 'page',
      assetsInlineLimit: 0,
      modulePreload: false,
      target: BROWSERS,
      reportCompressedSize: false,
      watch: watch ? {} : null,
    },
  };
}

const inputs = () =>
  fingerprint([
    ...listFiles('web'),
    'scripts/build/page.mjs',
    'scripts/build/page-licences.mjs',
    'package-lock.json',
  ]);

const outputs = () => fingerprint(listFiles('dist/web'));

if (isMain(import.meta.url)) {
  const { values } = parseArgs({ options: { watch: { type: 'boolean', default: false } } });
  await runMain(() => (values.watch ? runVite(true) : buildPage()));
}
