/** Facts about a model, for clients of the HTTP API. */
export interface ModelFacts {
  /** The `model_type`: `llama`, `granite`... */
  readonly family: string;
  readonly parameters: number;
  /** Undefined: unknown. */
  readonly vocabSize?: number;
  readonly bytes: number;
  /** `4-bit`...; undefined: unknown. */
  readonly quantization: string | undefined;
  readonly format: 'gguf' | 'safetensors' | 'remote';
  /** Jinja source; '' for a base model. */
  readonly template: string;
  /** Whether the template has a switch for thinking. */
  readonly thinks: boolean;
}
