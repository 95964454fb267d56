import { loadAddon } from '../../native/load-addon.ts';
import { checkContext } from '../context-length.ts';
import { availableMemory, checkFit, kvBytesPerToken, kvElementBytes } from '../fit.ts';
import type { ReadModel } from '../load-model.ts';
import { stateBytes } from '../recurrent-states.ts';
import type { Quantization } from '../weights/quantization.ts';
import { modelParts } from './model-parts.ts';
import { tensorShares } from './shares.ts';

/**
 * -> bytes left for KV caches. Throws OUT_OF_MEMORY if this machine cannot hold its part of a model that `machines` of them
 * share.
 */
export function checkShare({ spec }: ReadModel, machines: number, cacheBytes: number): number {
  const layout = loadAddon().weightLayout(spec.exact === true);
  const parts = modelParts(
    spec,
    { layout, quantize: spec.quantize as Quantization | undefined, encoder: false },
    0,
  );
  const machine = { name: '', address: '', memoryBytes: 0, bytesPerSecond: 1 };
  const [share] = tensorShares(parts, new Array<typeof machine>(machines).fill(machine));
  const perToken = kvBytesPerToken(spec.config, kvElementBytes(layout, spec.kvBits));
  return checkFit(
    {
      weightBytes: share?.weightBytes ?? 0,
      kvBytesPerToken: perToken / machines,
      stateBytes: stateBytes(spec.config),
      contextLength: checkContext(spec.contextLength, spec.config),
      cacheBytes,
    },
    availableMemory(),
  );
}
