import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { LlmHostError } from '../errors.ts';
import type { AdapterSpec, TensorEntry, WeightFiles } from '../native/load-types.ts';
import { readJsonObject } from '../text/files/json-file.ts';
import { broken, unsupported } from '../text/files/model-fault.ts';
import { type AdapterConfig, mlxAdapterConfig, peftAdapterConfig } from './adapter-config.ts';
import { textName, textTensors } from './text-part.ts';
import { singleFileWeights } from './weights-manifest.ts';

/**
 * Reads a LoRA adapter in mlx-lm's layout (adapter_config.json, adapters.safetensors) or PEFT's
 * (adapter_config.json, adapter_model.safetensors) and checks it against the names and shapes of `base`. `wrapped`: base is
 * the text part of a vision model; so is what is read of the adapter. Throws MODEL_NOT_FOUND, MODEL_BROKEN or
 * MODEL_UNSUPPORTED.
 */
export function readAdapter(folder: string, base: WeightFiles, wrapped = false): AdapterSpec {
  const configPath = join(folder, 'adapter_config.json');
  const json = readJsonObject(configPath);
  if (!json) {
    throw new LlmHostError(
      'MODEL_NOT_FOUND',
      `Adapter '${folder}' not found: it has no adapter_config.json`,
      {
        hint: 'An adapter is a folder with adapter_config.json and adapters.safetensors (mlx-lm) or adapter_model.safetensors (PEFT).',
      },
    );
  }
  const peftPath = join(folder, 'adapter_model.safetensors');
  const peft = json.peft_type !== undefined || existsSync(peftPath);
  const config = peft ? peftAdapterConfig(configPath, json) : mlxAdapterConfig(configPath, json);
  const path = peft ? peftPath : join(folder, 'adapters.safetensors');
  const stored = singleFileWeights(path);
  const named = peft ? { ...stored, tensors: stored.tensors.map(t => withMlxName(path, t)) } : stored;
  const weights = wrapped ? textTensors(named) : named;
  checkTensors(path, wrapped ? { ...config, keys: config.keys?.map(textName) } : config, weights, base);
  return { weights, scale: config.scale, transposed: peft, ...config.own };
}

/** `base_model.model.MODULE.lora_A.weight` becomes MODULE.lora_a; an adapter's name may precede `.weight`. */
function withMlxName(path: string, tensor: TensorEntry): TensorEntry {
  const [, module, factor] =
    /^base_model\.model\.(.+)\.lora_([AB])(?:\.\w+)?\.weight$/.exec(tensor.name) ?? [];
  if (module !== undefined) return { ...tensor, name: `${module}.lora_${factor?.toLowerCase()}` };
  throw unsupported(path, `has tensor ${tensor.name}; supported: base_model.model.*.lora_{A,B}.weight`);
}

function checkTensors(path: string, config: AdapterConfig, weights: WeightFiles, base: WeightFiles): void {
  const tensors = new Map(weights.tensors.map(t => [t.name, t]));
  const baseTensors = new Map(base.tensors.map(t => [t.name, t]));
  if (tensors.size === 0) throw broken(path, 'has no tensors');
  if (tensors.size < weights.tensors.length) throw broken(path, 'has two tensors for the same matrix');
  for (const tensor of tensors.values()) {
    const [, module, factor] = /^(.+)\.lora_([ab])$/.exec(tensor.name) ?? [];
    if (module === undefined)
      throw unsupported(path, `has tensor ${tensor.name}; supported: *.lora_a and *.lora_b`);
    const other = `${module}.lora_${factor === 'a' ? 'b' : 'a'}`;
    if (!tensors.has(other)) throw broken(path, `is broken: tensor ${other} is missing`);
    if (config.keys && !config.keys.some(key => module === key || module.endsWith(`.${key}`))) {
      throw broken(
        path,
        `has tensor ${tensor.name}, which adapter_config.json does not name in ${config.keysName}`,
      );
    }
    const target = baseTensors.get(`${module}.weight`);
    if (!target) throw broken(path, `does not fit the model: the model has no module ${module}`);
    const shape = expectedShape(target, factor, config.rank);
    checkShape(path, tensor, config.transposed ? shape.reverse() : shape);
  }
}

/** lora_a is [in, rank], lora_b [rank, out]; quantized weights do not show `in`. */
function expectedShape(
  target: TensorEntry,
  factor: string | undefined,
  rank: number,
): (number | undefined)[] {
  const [out, columns] = target.shape;
  if (factor === 'b') return [rank, out];
  return [target.dtype === 'U32' ? undefined : columns, rank];
}

function checkShape(path: string, tensor: TensorEntry, expected: (number | undefined)[]): void {
  const { shape } = tensor;
  if (shape.length === 2 && expected.every((size, i) => size === undefined || size === shape[i])) return;
  const wanted = expected.map(size => size ?? '?').join(', ');
  throw broken(
    path,
    `does not fit: tensor ${tensor.name} has shape [${shape.join(', ')}], expected [${wanted}]`,
  );
}
