import { hasTokens, type ReadModel } from '../load-model.ts';
import { workingSet } from '../memory/working-set.ts';
import { type Loading, loadedBytes } from '../weights/loaded-bytes.ts';
import { partOfModel } from './part-of-model.ts';

export interface Sharing {
  readonly loading: Loading;
  /** Tokens. */
  readonly contextLength: number;
  /** That divide the model's layers. */
  readonly machines: number;
  /** Whether it is about the machine that runs the program. */
  readonly first: boolean;
}

// Fitted to the peaks of processes on a CPU: docs/evidence/distributed.md has predicted and measured ones.
/** Memory that sharing takes in each process; 34 MB of it are the buffers of MLX's ring. */
const GROUP_BYTES = 56e6;
/** Memory that the program takes on the first machine in addition to a worker's. */
const CHAT_BYTES = 40e6;

/** Bytes that a machine has of the weights, and takes beside those and its caches. */
export function partWork(read: ReadModel, { loading, contextLength, machines, first }: Sharing) {
  const { config, weights, adapters } = partOfModel(read.spec, machines);
  const weightBytes = loadedBytes(weights, config, loading);
  const work = { config, weights, adapters, loading, weightBytes, contextLength };
  // On a GPU it is assumed, not measured.
  const shared = machines > 1 && loading.layout !== 'stored';
  const own = workingSet({ ...work, shared, tokenizer: first && hasTokens(read) });
  return { weightBytes, workingBytes: own + (shared ? GROUP_BYTES + (first ? CHAT_BYTES : 0) : 0) };
}
