/**
 * The families that the engine runs, as config.json's `model_type` names them: the same as the table in
 * native/models/registry.cc, so that any other is refused before any work.
 */
export const MODEL_TYPES: readonly string[] = [
  'gemma3_text',
  'gpt_oss',
  'granite',
  'granitemoe',
  'granitemoehybrid',
  'lfm2',
  'lfm2_moe',
  'llama',
  'ministral3',
  'mistral',
  'phi3',
  'qwen2',
  'qwen3',
  'qwen3_moe',
  'smollm3',
];
