import { parseArgs } from 'node:util';
import { chooseBackend, chosenBackend, hasNvidiaDriver, nvidiaReady, setupNvidia } from './build/cuda.mjs';
import { demoDownloaded, demoWeightsReady, setupDemoWeights } from './build/demo-weights.mjs';
import { findMlx, mlxVersion, setupMlx } from './build/mlx.mjs';
import { buildNative, nativeReady } from './build/native.mjs';
import { buildPage, pageReady } from './build/page.mjs';
import { buildDist, distReady } from './build/typescript.mjs';
import { findCompiler } from './lib/build/compiler.mjs';
import { packagesReady, setupPackages } from './lib/build/npm-packages.mjs';
import { runMainUnderNewerNode } from './lib/newer-node.mjs';
import { isMain } from './lib/project.mjs';
import { checkPip } from './lib/python.mjs';
import { runSteps } from './lib/steps.mjs';

/**
 * Makes a checkout ready to run: packages, MLX, the demo's weights, the native addon, dist/. Does only what is
 * missing or out of date, and takes well under a second if nothing is. Reports on stderr.
 * @param {{ quiet?: boolean, tests?: boolean }} [options] quiet: only work is reported; tests: the C++ tests too
 */
export async function bootstrap({ quiet = false, tests = false } = {}) {
  await runSteps(
    [
      {
        id: 'tools',
        title: `Node ${process.versions.node}, Python, C++`,
        needs: [],
        isReady: toolsReady,
        run: checkTools,
      },
      {
        id: 'npm',
        title: 'npm packages',
        needs: ['tools'],
        isReady: packagesReady,
        run: () => setupPackages(),
      },
      {
        id: 'mlx',
        title: `MLX ${mlxVersion}`,
        needs: ['tools'],
        isReady: () => findMlx() !== undefined,
        run: setupMlx,
      },
      ...cudaSteps(),
      {
        id: 'weights',
        title: 'demo model SmolLM2-135M-Instruct',
        needs: ['tools'],
        isReady: demoWeightsReady,
        run: setupDemoWeights,
      },
      {
        id: 'native',
        title: 'native addon',
        needs: ['npm', 'mlx'],
        isReady: () => nativeReady({ tests }),
        run: onProgress => buildNative({ tests, onProgress }),
      },
      { id: 'dist', title: 'TypeScript', needs: ['npm'], isReady: distReady, run: buildDist },
      { id: 'page', title: 'page of serve', needs: ['npm'], isReady: pageReady, run: buildPage },
      ...(tests ? [await fixturesStep()] : []),
    ],
    { quiet },
  );
}

/** The tests' models, which only a checkout with tests can make. */
async function fixturesStep() {
  const { makeWeights, weightsMade } = await import('../test/fixtures/make.mjs');
  return {
    id: 'fixtures',
    title: 'models of the tests',
    needs: ['tools'],
    isReady: weightsMade,
    run: async () => makeWeights(),
  };
}

/** NVIDIA's libraries, where the checkout was set up for them. */
function cudaSteps() {
  if (chosenBackend() !== 'cuda') return [];
  return [
    { id: 'nvidia', title: "NVIDIA's libraries", needs: ['tools'], isReady: nvidiaReady, run: setupNvidia },
  ];
}

/** The tools matter only for what is still to be made: a finished checkout runs without them. */
function toolsReady() {
  return downloadsReady() && nativeReady();
}

const downloadsReady = () => findMlx() !== undefined && nvidiaReady() && demoDownloaded();

async function checkTools() {
  if (!nativeReady()) findCompiler();
  if (!downloadsReady()) await checkPip();
}

/** Usage: npm run bootstrap [-- --backend cpu|cuda]; the backend is remembered. */
async function main() {
  const { values } = parseArgs({ options: { backend: { type: 'string' } } });
  if (values.backend !== undefined) chooseBackend(values.backend);
  await bootstrap();
  if (hasNvidiaDriver() && chosenBackend() !== 'cuda')
    console.error('An NVIDIA GPU is here. To use it: npm run bootstrap -- --backend cuda');
}

if (isMain(import.meta.url)) await runMainUnderNewerNode(main);
