/** What a model is, as clients of its server ask for it. */
export interface ModelFacts {
  /** `llama`, `granite`...; as `model_type` says. */
  readonly family: string;
  readonly parameters: number;
  /** Undefined: not known. */
  readonly vocabSize?: number;
  readonly bytes: number;
  /** `4-bit`...; undefined: not known. */
  readonly quantization: string | undefined;
  readonly format: 'gguf' | 'safetensors' | 'remote';
  /** Jinja source; '' for a base model. */
  readonly template: string;
  /** There is a switch for thinking. */
  readonly thinks: boolean;
}
