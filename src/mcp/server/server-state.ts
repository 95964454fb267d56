export interface ServerState {
  readonly name: string;
  /** `starting` includes restarts after a crash; `disabled`: configured but turned off. */
  readonly state: 'starting' | 'ready' | 'failed' | 'disabled' | 'closed';
  readonly tools: number;
  /** While `starting`: its package is installed first (`npx`, `uvx`). */
  readonly installing?: boolean;
  /** Why it failed, with the tail of stderr. */
  readonly error?: string;
  readonly instructions?: string;
  /** Absolute paths of the folders that its arguments name, if any. */
  readonly folders?: readonly string[];
}
