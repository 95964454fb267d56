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
}

/** Bytes that one of them has of the weights, and takes beside those and its caches. */
export function partWork(read: ReadModel, { loading, contextLength, machines }: Sharing) {
  const { config, weights, adapters } = partOfModel(read.spec, machines);
  const weightBytes = loadedBytes(weights, config, loading);
  const work = { config, weights, adapters, loading, weightBytes, contextLength };
  return { weightBytes, workingBytes: workingSet({ ...work, tokenizer: hasTokens(read) }) };
}
