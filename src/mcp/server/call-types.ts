export interface ToolOutcome {
  /** Text for the model; images and resources as described placeholders. */
  readonly text: string;
  /** The server reported a tool error; `text` says which. */
  readonly isError: boolean;
}

export interface Progress {
  readonly done: number;
  readonly total?: number;
  readonly message?: string;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Milliseconds; progress begins it anew, up to ten times this. */
  readonly timeoutMs: number;
  readonly onProgress?: (progress: Progress) => void;
}
