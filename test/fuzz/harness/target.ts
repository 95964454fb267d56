/** One reader of strangers' bytes. */
export interface FuzzTarget {
  readonly name: string;
  /** The sources whose coverage guides the search. */
  readonly files: RegExp;
  /** Well-formed inputs to begin with; those in corpus/<name> join them. */
  readonly seeds: () => readonly (string | Uint8Array)[];
  /** Words of the format. */
  readonly dictionary?: readonly string[];
  /**
   * Reads the input and checks what must hold of the outcome. May throw LlmHostError, which is a refusal; whatever else
   * it throws is a finding, as is taking longer than `limitMs`.
   */
  readonly run: (input: Uint8Array) => void | Promise<void>;
  /** `run` gives a promise. */
  readonly waits?: boolean;
  /** Milliseconds of the processor for one input on a slow machine. Default 2000. */
  readonly limitMs?: number;
}
