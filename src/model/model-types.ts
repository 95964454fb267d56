/**
 * The families the engine runs, by config.json's `model_type`; any other is refused before any work. Each is a file in
 * native/models.
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
