// Memory of published models, computed by `llm-host inspect` from their shapes alone: the table of
// docs/choosing-a-model.md. Writes headers without weights into a temporary folder; downloads and loads
// nothing.
// Usage, after `npm run bootstrap`: node scripts/measure/model-sizes.mjs
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { distDir } from '../lib/project.mjs';
import { reportUncaught } from '../lib/setup-error.mjs';
import { writeHeaders } from './shapes/headers.mjs';

reportUncaught();

const { inspectModel } = await import(join(distDir, 'model', 'inspect.js'));

const CONTEXT = 8192;

/** Each as `writeHeaders` takes it. */
const MODELS = {
  'SmolLM2-1.7B': { shape: [24, 2048, 32, 32, 64, 8192, 49152] },
  'Llama-3.2-1B': { shape: [16, 2048, 32, 8, 64, 8192, 128256] },
  'Llama-3.2-3B': { shape: [28, 3072, 24, 8, 128, 8192, 128256] },
  'Qwen3-1.7B': { shape: [28, 2048, 16, 8, 128, 6144, 151936] },
  'granite-4.0-1b': { shape: [40, 2048, 16, 4, 128, 4096, 100352] },
  'SmolLM3-3B': { shape: [36, 2048, 16, 4, 128, 11008, 128256] },
  'Phi-4-mini': { shape: [32, 3072, 24, 8, 128, 8192, 200064] },
  'Qwen3-4B': { shape: [36, 2560, 32, 8, 128, 9728, 151936] },
  'gemma-3-4b (text)': { shape: [34, 2560, 8, 4, 256, 10240, 262208] },
  'Mistral-7B-v0.3': { shape: [32, 4096, 32, 8, 128, 14336, 32768], untied: true },
  'Qwen2.5-7B': { shape: [28, 3584, 28, 4, 128, 18944, 152064], untied: true },
  'Llama-3.1-8B': { shape: [32, 4096, 32, 8, 128, 14336, 128256], untied: true },
  'Qwen3-8B': { shape: [36, 4096, 32, 8, 128, 12288, 151936], untied: true },
  'granite-3.3-8b': { shape: [40, 4096, 32, 8, 128, 12800, 49159] },
  'gemma-3-12b (text)': { shape: [48, 3840, 16, 8, 256, 15360, 262208] },
  'phi-4': { shape: [40, 5120, 40, 10, 128, 17920, 100352], untied: true },
  'Qwen3-14B': { shape: [40, 5120, 40, 8, 128, 17408, 151936], untied: true },
  'Mistral-Small-24B': { shape: [40, 5120, 32, 8, 128, 32768, 131072], untied: true },
  'gemma-3-27b (text)': { shape: [62, 5376, 32, 16, 128, 21504, 262208] },
  'Qwen3-30B-A3B': { shape: [48, 2048, 32, 4, 128, 768, 151936], untied: true, experts: 128, active: 8 },
  'Qwen3-32B': { shape: [64, 5120, 64, 8, 128, 25600, 151936], untied: true },
  'Llama-3.3-70B': { shape: [80, 8192, 64, 8, 128, 28672, 128256], untied: true },
};

const gigabytes = bytes => (bytes / 1e9).toFixed(1);
const top = mkdtempSync(join(tmpdir(), 'llm-host-sizes-'));
try {
  console.log(
    `| model | parameters | 4 bits | 8 bits | bfloat16 | KV cache, ${CONTEXT} tokens | in all, 4 bits |`,
  );
  console.log('| --- | --- | --- | --- | --- | --- | --- |');
  for (const [name, model] of Object.entries(MODELS)) {
    const folder = join(top, name);
    writeHeaders(folder, model);
    const inspect = quantize =>
      inspectModel(folder, { contextLength: CONTEXT, quantize, cwd: top, env: process.env }).inspection;
    const four = inspect('4');
    const cells = [
      `${(four.parameters / 1e9).toFixed(1)} B`,
      gigabytes(four.memory.weightBytes),
      gigabytes(inspect('8').memory.weightBytes),
      gigabytes(inspect(undefined).memory.weightBytes),
      gigabytes(four.memory.kvBytes),
      gigabytes(four.memory.totalBytes),
    ];
    console.log(`| ${name} | ${cells.join(' | ')} |`);
  }
} finally {
  rmSync(top, { recursive: true });
}
