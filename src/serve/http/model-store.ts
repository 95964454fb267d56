/** Progress of a download, in bytes of all its files. */
export interface PullProgress {
  readonly doneBytes: number;
  readonly totalBytes: number;
  /** Everything has arrived and is being checked. */
  readonly checking: boolean;
}

/** Models on disk that clients may add, remove and name. All throw LlmHostError. */
export interface ModelStore {
  /** Resolves when the model is complete. */
  pull(name: string, signal: AbortSignal, onProgress: (progress: PullProgress) => void): Promise<void>;
  remove(id: string): Promise<void>;
  /** Another name for a model. */
  copy(id: string, name: string): Promise<void>;
}
