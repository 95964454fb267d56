import { loadAddon } from '../../native/load-addon.ts';
import { checkContext } from '../context-length.ts';
import { availableMemory, checkFit, kvBytesPerToken, kvElementBytes } from '../fit.ts';
import type { ReadModel } from '../load-model.ts';
import { stateBytes } from '../memory/recurrent-states.ts';
import type { Quantization } from '../weights/quantization.ts';
import { partWork, type Sharing } from './part-work.ts';

/**
 * -> bytes left for KV caches. Throws OUT_OF_MEMORY if this machine cannot hold its part of a model.
 * @param cacheBytes as `MemoryNeed` has it
 */
export function checkShare(
  read: ReadModel,
  { machines, first }: Pick<Sharing, 'machines' | 'first'>,
  cacheBytes: number,
): number {
  const { config, quantize, exact, contextLength: wanted, kvBits } = read.spec;
  const layout = loadAddon().weightLayout(exact === true);
  const loading = { layout, quantize: quantize as Quantization | undefined, encoder: false };
  const contextLength = checkContext(wanted, config);
  return checkFit(
    {
      contextLength,
      cacheBytes,
      ...partWork(read, { loading, contextLength, machines, first }),
      kvBytesPerToken: kvBytesPerToken(config, kvElementBytes(layout, kvBits)) / machines,
      stateBytes: stateBytes(config),
    },
    availableMemory(),
  );
}
