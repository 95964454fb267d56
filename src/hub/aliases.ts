/** A short name for a model of the Hub. */
export interface ModelAlias {
  /** As Ollama writes such names: `family:size`. */
  readonly name: string;
  /** `org/name`: in 4 bits, made for MLX. */
  readonly repo: string;
  /** For people: `1.6 B`. */
  readonly parameters: string;
  /** The download's size: weights in GB (10^9 bytes). */
  readonly weightsGb: number;
  /** With 8192 tokens of context and the working set, in GB. */
  readonly memoryGb: number;
}

/** The aliases, by family. The same table stands in docs/models.md, which a test compares. */
export const MODEL_ALIASES: readonly ModelAlias[] = [
  alias('granite4:1b', 'granite-4.0-1b-4bit', '1.6 B', 0.9, 1.7),
  alias('granite3.3:8b', 'granite-3.3-8b-instruct-4bit', '8.2 B', 4.6, 6.1),
  alias('qwen3:0.6b', 'Qwen3-0.6B-4bit', '0.6 B', 0.3, 1.5),
  alias('qwen3:1.7b', 'Qwen3-1.7B-4bit', '1.7 B', 1.0, 2.1),
  alias('qwen3:4b', 'Qwen3-4B-4bit', '4.0 B', 2.3, 3.6),
  alias('qwen3:8b', 'Qwen3-8B-4bit', '8.2 B', 4.6, 6.0),
  alias('qwen3:14b', 'Qwen3-14B-4bit', '14.8 B', 8.3, 9.9),
  alias('qwen3:30b', 'Qwen3-30B-A3B-4bit', '30.5 B', 17.2, 18.4),
  alias('qwen3:32b', 'Qwen3-32B-4bit', '32.8 B', 18.4, 21.1),
  alias('qwen2.5:7b', 'Qwen2.5-7B-Instruct-4bit', '7.6 B', 4.3, 5.0),
  alias('llama3.2:1b', 'Llama-3.2-1B-Instruct-4bit', '1.2 B', 0.7, 1.1),
  alias('llama3.2:3b', 'Llama-3.2-3B-Instruct-4bit', '3.2 B', 1.8, 2.9),
  alias('llama3.1:8b', 'Meta-Llama-3.1-8B-Instruct-4bit', '8.0 B', 4.5, 5.8),
  alias('llama3.3:70b', 'Llama-3.3-70B-Instruct-4bit', '70.6 B', 39.7, 43.3),
  alias('gemma3:4b', 'gemma-3-4b-it-4bit', '3.9 B', 2.2, 3.5),
  alias('gemma3:12b', 'gemma-3-12b-it-4bit', '11.8 B', 6.6, 10.1),
  alias('gemma3:27b', 'gemma-3-27b-it-4bit', '27.0 B', 15.2, 19.8),
  alias('mistral:7b', 'Mistral-7B-Instruct-v0.3-4bit', '7.2 B', 4.1, 5.4),
  alias('mistral-small:24b', 'Mistral-Small-24B-Instruct-2501-4bit', '23.6 B', 13.3, 15.0),
  alias('phi4-mini:3.8b', 'Phi-4-mini-instruct-4bit', '3.8 B', 2.2, 3.4),
  alias('phi4:14b', 'phi-4-4bit', '14.7 B', 8.2, 10.2),
  alias('smollm3:3b', 'SmolLM3-3B-4bit', '3.1 B', 1.7, 2.5),
  alias('lfm2:1.2b', 'LFM2-1.2B-4bit', '1.2 B', 0.7, 1.0),
];

function alias(
  name: string,
  conversion: string,
  parameters: string,
  weightsGb: number,
  memoryGb: number,
): ModelAlias {
  return { name, repo: `mlx-community/${conversion}`, parameters, weightsGb, memoryGb };
}

/** The alias of that name, in any case. */
export function findAlias(name: string): ModelAlias | undefined {
  const wanted = name.toLowerCase();
  return MODEL_ALIASES.find(candidate => candidate.name === wanted);
}

/** The aliases of a family that is named without a size, such as `granite4`. */
export function aliasesOfFamily(family: string): readonly ModelAlias[] {
  const start = `${family.toLowerCase().replace(/:.*$/, '')}:`;
  return MODEL_ALIASES.filter(({ name }) => name.startsWith(start));
}
