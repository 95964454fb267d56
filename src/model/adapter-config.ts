import type { AdapterTraits } from '../native/load-types.ts';
import { shownJson, visible } from '../text/clean/visible.ts';
import { isObject, type JsonObject } from '../text/files/json-file.ts';
import { broken, unsupported } from '../text/files/model-fault.ts';

/** The ranks and modules an adapter_config.json declares. */
export interface AdapterConfig {
  readonly rank: number;
  /** y = Wx + scale * (x A) B */
  readonly scale: number;
  /** Ends of module names, such as `self_attn.q_proj`; undefined = any. */
  readonly keys: readonly string[] | undefined;
  /** The file's key for them. */
  readonly keysName: string;
  /** A is [rank, in] and B [out, rank]. */
  readonly transposed: boolean;
  /** The keys under `llm_host`, which are our own. */
  readonly own: AdapterTraits;
}

/** mlx-lm's config. Throws MODEL_BROKEN or MODEL_UNSUPPORTED. */
export function mlxAdapterConfig(path: string, json: JsonObject): AdapterConfig {
  const type = json.fine_tune_type ?? 'lora';
  if (type !== 'lora') throw unsupported(path, `has fine_tune_type ${shownJson(type)}; supported: lora`);
  const { rank, scale, keys } = isObject(json.lora_parameters) ? json.lora_parameters : json;
  if (!isRank(rank)) throw broken(path, 'has no lora_parameters.rank >= 1');
  if (typeof scale !== 'number' || !Number.isFinite(scale))
    throw broken(path, 'has no numeric lora_parameters.scale');
  const keysName = 'lora_parameters.keys';
  const own = ownKeys(path, json);
  return { rank, scale, keys: names(path, keysName, keys), keysName, transposed: false, own };
}

/** PEFT options that change more than W + scale * A B, with the values at which they have no effect. */
const PEFT_EXTRAS: Readonly<Record<string, readonly unknown[]>> = {
  use_dora: [false],
  bias: ['none'],
  lora_bias: [false],
  modules_to_save: [],
  fan_in_fan_out: [false],
  trainable_token_indices: [],
};

/**
 * PEFT's config. The scale is lora_alpha / r, or lora_alpha / sqrt(r) with use_rslora (Kalajdzievski 2023). Throws
 * MODEL_BROKEN or MODEL_UNSUPPORTED.
 */
export function peftAdapterConfig(path: string, json: JsonObject): AdapterConfig {
  if (json.peft_type !== 'LORA') {
    throw unsupported(path, `has peft_type ${shownJson(json.peft_type)}; supported: "LORA"`);
  }
  for (const [key, harmless] of Object.entries(PEFT_EXTRAS)) {
    const value = json[key] ?? undefined;
    const empty = (Array.isArray(value) || isObject(value)) && Object.keys(value).length === 0;
    if (value === undefined || empty || harmless.includes(value)) continue;
    throw unsupported(
      path,
      `has ${key} ${shownJson(value)}, which is not supported; merge it into the model`,
    );
  }
  for (const key of ['rank_pattern', 'alpha_pattern']) {
    const value = json[key];
    if (!isObject(value) || Object.keys(value).length === 0) continue;
    throw unsupported(
      path,
      `has ${key}, which is not supported; supported: one rank and alpha for all modules`,
    );
  }
  const { r, lora_alpha: alpha, target_modules: targets } = json;
  if (!isRank(r)) throw broken(path, 'has no r >= 1');
  if (typeof alpha !== 'number' || !Number.isFinite(alpha)) throw broken(path, 'has no numeric lora_alpha');
  const scale = alpha / (json.use_rslora === true ? Math.sqrt(r) : r);
  // A single string is a pattern, or "all-linear".
  const keys = typeof targets === 'string' ? undefined : names(path, 'target_modules', targets);
  return { rank: r, scale, keys, keysName: 'target_modules', transposed: true, own: ownKeys(path, json) };
}

type OwnKey = readonly [trait: keyof AdapterTraits, isValid: (value: unknown) => boolean, wanted: string];

const isBoolean = (value: unknown): boolean => typeof value === 'boolean';
const isConfidence = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value < 1;

const OWN_KEYS: Readonly<Record<string, OwnKey>> = {
  only_with_tools: ['onlyWithTools', isBoolean, 'true or false'],
  call_confidence: ['callConfidence', isConfidence, 'a number of at least 0 and below 1'],
  look_up_first: ['lookUpFirst', isBoolean, 'true or false'],
};

function ownKeys(path: string, { llm_host: own = {} }: JsonObject): AdapterTraits {
  if (!isObject(own)) throw broken(path, 'has llm_host that is no object');
  const traits = Object.entries(own).map(([key, value]) => {
    const [trait, isValid, wanted] = (Object.hasOwn(OWN_KEYS, key) && OWN_KEYS[key]) || unknownKey(path, key);
    if (isValid(value)) return [trait, value] as const;
    throw broken(path, `has llm_host.${key} ${shownJson(value)}; it must be ${wanted}`);
  });
  return Object.fromEntries(traits);
}

function unknownKey(path: string, key: string): never {
  const known = Object.keys(OWN_KEYS).join(', ');
  throw broken(path, `has llm_host.${visible(key.slice(0, 40))}; known: ${known}`);
}

function isRank(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 1;
}

function names(path: string, key: string, value: unknown): readonly string[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value) && value.every(name => typeof name === 'string')) return value;
  throw broken(path, `has ${key} that is not a list of module names`);
}
