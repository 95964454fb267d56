import { availableParallelism, cpus, release, totalmem, type } from 'node:os';

/** Where the figures were measured. */
export interface Machine {
  readonly processor: string;
  /** Processors available to this process. */
  readonly processors: number;
  readonly memoryBytes: number;
  /** Such as `Linux 6.1.0 x64`. */
  readonly system: string;
}

export function describeMachine(): Machine {
  return {
    processor: cpus()[0]?.model.trim() ?? process.arch,
    processors: availableParallelism(),
    memoryBytes: totalmem(),
    system: `${type()} ${release()} ${process.arch}`,
  };
}
