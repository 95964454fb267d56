import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { demoWeightsPath } from '../../build/demo-weights.mjs';
import { cacheDir, distDir } from '../../lib/project.mjs';
import { runCommand } from '../../lib/run-command.mjs';

const fromDist = path => import(pathToFileURL(join(distDir, path)).href);

/**
 * The demo's base weights as folders in bfloat16 and, quantized from that, in 8 bits: made once, by mlx-lm, which
 * peers/install.mjs installs, and by this program.
 * @returns {Promise<{ bfloat16: string, eightBits: string }>}
 */
export async function smollm2Folders() {
  const parent = join(cacheDir(), 'measured-models');
  const bfloat16 = join(parent, 'SmolLM2-135M-bfloat16');
  const eightBits = join(parent, 'SmolLM2-135M-8bit');
  mkdirSync(parent, { recursive: true });
  if (!existsSync(bfloat16)) await dequantize(bfloat16);
  if (!existsSync(eightBits)) {
    const { loadEngine } = await fromDist('index.js');
    const engine = await loadEngine(bfloat16, { quantize: '8', saveQuantized: eightBits });
    await engine.close();
  }
  return { bfloat16, eightBits };
}

async function dequantize(target) {
  const { findPeer } = await fromDist('bench/peers.js');
  const { mlxLmFolder } = await fromDist('bench/clients/mlx-lm-folder.js');
  const gguf = demoWeightsPath();
  const { runner, model } = findPeer('mlx-lm', { gguf, folder: undefined }, process.env);
  const made = mkdtempSync(join(cacheDir(), 'dequantized-'));
  try {
    const source = join(made, 'source');
    const folder = mlxLmFolder(model, gguf, () => {
      mkdirSync(source);
      return source;
    });
    const args = ['-m', 'mlx_lm', 'convert', '--hf-path', folder, '--mlx-path', join(made, 'out')];
    await runCommand(runner.command, [...args, '--dequantize', '--dtype', 'bfloat16']);
    renameSync(join(made, 'out'), target);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}
