export interface ServerState {
  readonly name: string;
  /** `starting` also while a crashed server is restarted; `disabled`: configured, and switched off. */
  readonly state: 'starting' | 'ready' | 'failed' | 'disabled' | 'closed';
  readonly tools: number;
  /** Why it failed, with the tail of its stderr. */
  readonly error?: string;
  readonly instructions?: string;
}
