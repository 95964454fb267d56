/** The sums of a process with those that share its model. */
export interface GroupProgress {
  /** Begun in the life of the process. */
  readonly sums: number;
  /** Whether it waits for the others in the last one. */
  readonly waits: boolean;
  /** Bytes of the last one. */
  readonly bytes: number;
}
