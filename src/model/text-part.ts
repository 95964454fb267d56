import { LlmHostError } from '../errors.ts';
import type { WeightFiles } from '../native/load-types.ts';
import { isObject, type JsonObject } from '../text/files/json-file.ts';
import { nearest } from '../text/nearest.ts';
import { ENCODER_TYPES } from './encoder/encoder-types.ts';
import { MODEL_TYPES } from './model-types.ts';

export interface TextPart {
  readonly config: JsonObject;
  readonly weights: WeightFiles;
  /** Whether it was a part, whose tensors have other names in the files. */
  readonly wrapped?: boolean;
}

/** Vision models, whose text model's configuration is in `text_config`. */
const WRAPPERS: readonly string[] = [
  'gemma3',
  'gemma3n',
  'gemma4',
  'gemma4_unified',
  'mistral3',
  'qwen3_5',
  'qwen3_5_moe',
];

/** Model types that some converters write for the same architecture. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  qwen3_8: 'qwen3_5',
  qwen3_8_text: 'qwen3_5_text',
  qwen3_8_moe: 'qwen3_5_moe',
  qwen3_8_moe_text: 'qwen3_5_moe_text',
};

/**
 * Values of keys that `text_config` leaves out, as some versions of transformers do where they are its class's
 * defaults.
 */
const MISSING: Readonly<Record<string, JsonObject>> = {
  gemma3_text: {
    vocab_size: 262208,
    hidden_size: 2304,
    intermediate_size: 9216,
    num_hidden_layers: 26,
    num_attention_heads: 8,
    num_key_value_heads: 4,
    head_dim: 256,
    max_position_embeddings: 131072,
    sliding_window: 4096,
  },
};

/** Prefixes of the text model's tensors, by transformers 4, transformers 5 and MLX. */
const PREFIXES = [
  { from: 'model.language_model.', to: 'model.' },
  { from: 'language_model.', to: '' },
];
const OTHER_PARTS =
  /^(model\.)?(vision_tower|multi_modal_projector|visual|vision_embedder|audio_tower|embed_vision|embed_audio)\./;

/**
 * The model as the engine knows it. Of a vision model only the text part: its configuration, and its tensors under the
 * names of a text model. Throws MODEL_UNSUPPORTED, listing the known ones, for an unknown `model_type`; `where` is the
 * file or model that the message names.
 */
export function textPart(where: string, given: JsonObject, weights: WeightFiles): TextPart {
  const config = withUsualName(given);
  if (!WRAPPERS.some(type => type === config.model_type) || !isObject(config.text_config)) {
    checkModelType(where, config.model_type);
    return { config, weights };
  }
  const inner = withUsualName(config.text_config);
  checkModelType(where, inner.model_type, 'text_config.');
  return {
    config: withoutPrefixes({ ...missing(inner), ...shared(config), ...inner }),
    weights: textTensors(weights),
    wrapped: true,
  };
}

function withUsualName(config: JsonObject): JsonObject {
  const type = config.model_type;
  const known = typeof type === 'string' && Object.hasOwn(OTHER_NAMES, type);
  return known ? { ...config, model_type: OTHER_NAMES[type] as string } : config;
}

function missing({ model_type: type }: JsonObject): JsonObject {
  return typeof type === 'string' && Object.hasOwn(MISSING, type) ? (MISSING[type] as JsonObject) : {};
}

function checkModelType(where: string, type: unknown, path = ''): void {
  // The engine reports a missing model_type.
  const types = path === '' ? [...MODEL_TYPES, ...ENCODER_TYPES] : MODEL_TYPES;
  if (typeof type !== 'string' || types.includes(type)) return;
  const supported = [...MODEL_TYPES, ...ENCODER_TYPES, ...WRAPPERS].sort();
  const message = `${where}: ${path}model_type "${type}" is not supported; supported are: ${supported.join(', ')}`;
  const like = nearest(type, supported);
  throw new LlmHostError('MODEL_UNSUPPORTED', message, {
    hint: `Choose a model of one of these families${like ? `; the nearest name is ${like}` : ''}.`,
  });
}

const SHARED = [
  'tie_word_embeddings',
  'vocab_size',
  'quantization',
  'quantization_config',
  'dtype',
  'torch_dtype',
];

/** Keys of the outer configuration that apply to both parts, or to the text part. */
function shared(config: JsonObject): JsonObject {
  return Object.fromEntries(SHARED.flatMap(key => (key in config ? [[key, config[key]]] : [])));
}

/** Gives the modules that the quantization names the text model's names. */
function withoutPrefixes(config: JsonObject): JsonObject {
  const quantization = config.quantization;
  if (!isObject(quantization)) return config;
  const entries = Object.entries(quantization).map(([key, value]) => [textName(key), value]);
  return { ...config, quantization: Object.fromEntries(entries) };
}

/** The text model's tensors under its own names; also of an adapter. */
export function textTensors({ files, tensors }: WeightFiles): WeightFiles {
  const own = tensors.filter(tensor => !OTHER_PARTS.test(tensor.name));
  return { files, tensors: own.map(tensor => ({ ...tensor, name: textName(tensor.name) })) };
}

/** The text model's name of a tensor or module. */
export function textName(name: string): string {
  const prefix = PREFIXES.find(({ from }) => name.startsWith(from));
  return prefix ? prefix.to + name.slice(prefix.from.length) : name;
}
