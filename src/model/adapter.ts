import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { LlmHostError } from '../errors.ts';
import type { AdapterSpec, TensorEntry, WeightFiles } from '../native/addon-types.ts';
import { isObject, type JsonObject, readJsonObject } from './json-file.ts';
import { broken, unsupported } from './model-file.ts';
import { singleFileWeights } from './weights-manifest.ts';

/** The ranks and modules that the configuration promises. */
interface AdapterConfig {
  readonly rank: number;
  readonly scale: number;
  /** Ends of module names, such as `self_attn.q_proj`; undefined = any. */
  readonly keys: readonly string[] | undefined;
}

/**
 * Reads a LoRA adapter in mlx-lm's layout (adapter_config.json, adapters.safetensors) and checks it against the
 * names and shapes of `base`. Throws MODEL_NOT_FOUND, MODEL_BROKEN or MODEL_UNSUPPORTED.
 */
export function readAdapter(folder: string, base: WeightFiles): AdapterSpec {
  const configPath = join(folder, 'adapter_config.json');
  const json = readJsonObject(configPath);
  if (!json) {
    throw new LlmHostError(
      'MODEL_NOT_FOUND',
      `Adapter '${folder}' not found: it has no adapter_config.json`,
      {
        hint: 'An adapter is a folder with adapter_config.json and adapters.safetensors, as mlx-lm writes it.',
      },
    );
  }
  if (json.peft_type !== undefined || existsSync(join(folder, 'adapter_model.safetensors'))) {
    throw unsupported(configPath, "is a PEFT adapter; only mlx-lm's layout is supported");
  }
  const config = adapterConfig(configPath, json);
  const path = join(folder, 'adapters.safetensors');
  const weights = singleFileWeights(path);
  checkTensors(path, config, weights, base);
  return { weights, scale: config.scale };
}

function adapterConfig(path: string, json: JsonObject): AdapterConfig {
  const type = json.fine_tune_type ?? 'lora';
  if (type !== 'lora') throw unsupported(path, `has fine_tune_type ${JSON.stringify(type)}; supported: lora`);
  const { rank, scale, keys } = isObject(json.lora_parameters) ? json.lora_parameters : json;
  if (!Number.isInteger(rank) || (rank as number) < 1) throw broken(path, 'has no lora_parameters.rank >= 1');
  if (typeof scale !== 'number' || !Number.isFinite(scale))
    throw broken(path, 'has no number lora_parameters.scale');
  const named = keys === undefined || keys === null ? undefined : keys;
  if (named !== undefined && !(Array.isArray(named) && named.every(key => typeof key === 'string'))) {
    throw broken(path, 'has lora_parameters.keys that are no list of module names');
  }
  return { rank: rank as number, scale, keys: named };
}

function checkTensors(path: string, config: AdapterConfig, weights: WeightFiles, base: WeightFiles): void {
  const tensors = new Map(weights.tensors.map(t => [t.name, t]));
  const baseTensors = new Map(base.tensors.map(t => [t.name, t]));
  if (tensors.size === 0) throw broken(path, 'has no tensors');
  for (const tensor of tensors.values()) {
    const [, module, factor] = /^(.+)\.lora_([ab])$/.exec(tensor.name) ?? [];
    if (module === undefined)
      throw unsupported(path, `has tensor ${tensor.name}; supported: *.lora_a and *.lora_b`);
    const other = `${module}.lora_${factor === 'a' ? 'b' : 'a'}`;
    if (!tensors.has(other)) throw broken(path, `is broken: tensor ${other} is missing`);
    if (config.keys && !config.keys.some(key => module === key || module.endsWith(`.${key}`))) {
      throw broken(path, `has tensor ${tensor.name}, which adapter_config.json does not name in keys`);
    }
    const target = baseTensors.get(`${module}.weight`);
    if (!target) throw broken(path, `does not fit the model: the model has no module ${module}`);
    checkShape(path, tensor, expectedShape(target, factor, config.rank));
  }
}

/** lora_a is [in, rank], lora_b [rank, out]; packed weights do not tell `in`. */
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
