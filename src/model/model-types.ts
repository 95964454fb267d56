/**
 * The table of families that the engine runs, as config.json's `model_type` names them, so that any other is refused
 * before any work. Each enters the engine by its file in native/models.
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
