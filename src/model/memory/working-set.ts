import type { AdapterSpec, WeightFiles } from '../../native/load-types.ts';
import type { JsonObject } from '../../text/files/json-file.ts';
import type { Loading } from '../weights/loaded-bytes.ts';
import { countParameters, storedBytes } from '../weights/parameters.ts';
import { stateBytes } from './recurrent-states.ts';

/** Bytes for the program, activations and logits where they were not measured: on a GPU, and of encoders at least. */
export const USUAL_WORKING_SET = 256 * 1024 * 1024;

/** The facts that decide how much memory is in use besides weights and caches. */
export interface Work {
  readonly config: JsonObject;
  readonly weights: WeightFiles;
  /** Bytes of the loaded weights. */
  readonly weightBytes: number;
  /** Tokens. */
  readonly contextLength: number;
  readonly loading: Loading;
  /** Whether texts become tokens here. */
  readonly tokenizer: boolean;
  readonly adapters: readonly AdapterSpec[];
  /** Whether other machines have the rest of the model. Default: false. */
  readonly shared?: boolean;
}

// Fitted to the peaks of processes on a CPU: docs/evidence/measurements.md has predicted and measured ones.
/** Node and the addon, ready for a prompt. */
const PROGRAM_BYTES = 62e6;
/** Memory of the packed forms of weights, as a share of the weights. */
const PACKED_SHARE = 0.02;
/** Bytes of one token in the tokenizer's tables. */
const TOKEN_BYTES = 200;
/** Memory of an adapter's widened matrices, as a multiple of its file. */
const ADAPTER_SHARE = 2.4;
/** For each number that a layer computes of a token: 4 bytes, and as many of results that wait for others. */
const RESULT_BYTES = 8;
/** Bytes of results where fewer wait, since sums with other machines hold up the steps after them. */
const SHARED_RESULT_BYTES = 6.5;

/** Bytes that a prompt takes beside weights and caches at most. */
export function workingSet(work: Work): number {
  const { config, weights, weightBytes, contextLength, loading, tokenizer } = work;
  if (loading.layout === 'stored') return USUAL_WORKING_SET;
  const chunk = chunkTokens(countParameters(weights, config));
  // A text is encoded as a whole.
  const rows = loading.encoder ? contextLength : Math.min(chunk, contextLength);
  // A chunk behind another makes new states while the old ones are still there.
  const states = contextLength > chunk ? stateBytes(config) : 0;
  const words = tokenizer ? TOKEN_BYTES * (numberOf(config, 'vocab_size') ?? 0) : 0;
  const adapters = work.adapters.reduce((sum, adapter) => sum + storedBytes(adapter.weights), 0);
  const results = (work.shared ? SHARED_RESULT_BYTES : RESULT_BYTES) * rows * layerWidth(config);
  const bytes = Math.round(
    PROGRAM_BYTES + PACKED_SHARE * weightBytes + ADAPTER_SHARE * adapters + words + results + states,
  );
  return loading.encoder ? Math.max(bytes, USUAL_WORKING_SET) : bytes;
}

/** Tokens of a prompt that are read together: DevicePolicy::prefill_chunk in the addon. */
function chunkTokens(parameters: number): number {
  return Math.min(512, Math.max(64, Math.floor(256e9 / Math.max(1, parameters))));
}

/** Numbers that one layer of each kind computes of a token, together. */
function layerWidth(config: JsonObject): number {
  const number = (key: string): number => numberOf(config, key) ?? 0;
  const hidden = number('hidden_size');
  const heads = number('num_attention_heads');
  const headDim = Math.max(number('head_dim') || hidden / Math.max(1, heads), number('global_head_dim'));
  const latent = number('kv_lora_rank') + number('qk_rope_head_dim');
  const attention =
    number('kv_lora_rank') > 0
      ? 2 * heads * latent
      : (heads + 2 * (number('num_key_value_heads') || heads)) * headDim;
  const experts = number('num_experts_per_tok') * number('moe_intermediate_size');
  const network = 2 * Math.max(number('intermediate_size'), experts);
  return 6 * hidden + attention + network + recurrentWidth(number);
}

/** Inputs, gates, what a convolution makes of them, and outputs. */
function recurrentWidth(number: (key: string) => number): number {
  const values = number('linear_num_value_heads') * number('linear_value_head_dim');
  const channels = 2 * number('linear_num_key_heads') * number('linear_key_head_dim') + values;
  const heads = number('mamba_num_heads') || number('mamba_n_heads');
  const inner = heads * (number('mamba_head_dim') || number('mamba_d_head'));
  const groups = number('n_groups') || number('mamba_n_groups') || 1;
  const scanned = inner + 2 * groups * (number('ssm_state_size') || number('mamba_d_state'));
  return (values > 0 ? 3 * channels + 2 * values : 0) + (inner > 0 ? 2 * scanned + 2 * inner : 0);
}

function numberOf(config: JsonObject, key: string): number | undefined {
  const value = config[key];
  return typeof value === 'number' && value > 0 && Number.isFinite(value) ? value : undefined;
}
