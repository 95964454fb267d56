import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { loadEngine } from '../../../src/engine/load-engine.ts';
import { inspectModel } from '../../../src/model/inspect.ts';
import { takenTensors } from '../../../src/model/weights/ignored-tensors.ts';
import { readSafetensorsHeader } from '../../../src/model/weights/safetensors.ts';
import { safetensorsOf } from '../model-files.ts';
import { tempFolder } from '../temp-folder.ts';

const FAMILIES = fileURLToPath(new URL('../../fixtures/families', import.meta.url));
const OPTIONS = { contextLength: 64, cwd: FAMILIES, env: {} };

/** A copy of a tiny model with more tensors in a second file. */
function planted(variant: string, names: readonly string[]): string {
  const folder = tempFolder();
  cpSync(join(FAMILIES, variant), folder, { recursive: true });
  const own = readSafetensorsHeader(join(folder, 'model.safetensors')).tensors;
  const shapes = Object.fromEntries(names.map(name => [name, [32, 32]]));
  writeFileSync(
    join(folder, 'more.safetensors'),
    safetensorsOf(shapes, () => 0.5),
  );
  const weight_map = Object.fromEntries([
    ...own.map(({ name }) => [name, 'model.safetensors']),
    ...names.map(name => [name, 'more.safetensors']),
  ]);
  writeFileSync(join(folder, 'model.safetensors.index.json'), JSON.stringify({ weight_map }));
  return folder;
}

test.each([
  ['qwen3_5_text/every-fourth', ['mtp.fc.weight', 'mtp.layers.0.mlp.up_proj.weight']],
  ['qwen3_next/dense', ['mtp.fc.weight']],
  ['nemotron_h/networks', ['mtp.layers.0.mixer.q_proj.weight']],
  ['glm4_moe/norms', ['model.layers.%.eh_proj.weight', 'model.layers.%.shared_head.head.weight']],
  ['glm4_moe_lite/plain', ['model.layers.%.eh_proj.weight']],
  ['deepseek_v3/plain', ['model.layers.%.self_attn.k_proj.weight']],
  ['gemma4_text/sharing', ['model.layers.4.self_attn.k_proj.weight']],
  ['gemma3n_text/sharing', ['model.layers.%-1.self_attn.v_proj.weight']],
  ['qwen3_5_text/tied', ['lm_head.weight']],
])('%s: what loading leaves aside is not counted: %j', async (variant, names) => {
  const { inspection: without } = inspectModel(join(FAMILIES, variant), OPTIONS);
  const layers = without.layers ?? 0;
  const extra = names.map(name => name.replace('%-1', String(layers - 1)).replace('%', String(layers)));
  const folder = planted(variant, extra);
  const { inspection, read } = inspectModel(folder, OPTIONS);
  expect(inspection.parameters).toBe(without.parameters);
  expect(inspection.memory.weightBytes).toBe(without.memory.weightBytes);
  expect(inspection.prediction.tokensPerSecond).toBe(without.prediction.tokensPerSecond);
  expect(read.weightBytes).toBe(without.memory.storedBytes + extra.length * 4 * 32 * 32);
  const engine = await loadEngine(folder, { contextLength: 64 });
  const { weightBytes } = engine.info;
  await engine.close();
  expect(inspection.memory.weightBytes).toBe(weightBytes);
});

test.each([
  ['another family', { model_type: 'llama', num_hidden_layers: 2 }],
  ['no layers', { model_type: 'glm4_moe' }],
  [
    'odd values',
    { model_type: { toString: 1 }, num_hidden_layers: 'x', num_kv_shared_layers: -1, tie_word_embeddings: 1 },
  ],
])('%s: all are taken', (_, config) => {
  const names = ['mtp.fc.weight', 'model.layers.2.eh_proj.weight', 'lm_head.weight', 'model.layers.x.a'];
  const tensors = names.map(
    name => ({ name, dtype: 'F32', shape: [1], file: 0, offset: 0, bytes: 4 }) as const,
  );
  expect(takenTensors({ files: [], tensors }, config)).toEqual(tensors);
});
