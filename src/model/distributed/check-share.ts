import { loadAddon } from '../../native/load-addon.ts';
import { checkContext } from '../context-length.ts';
import { availableMemory, checkFit, kvBytesPerToken, kvElementBytes } from '../fit.ts';
import { hasTokens, type ReadModel } from '../load-model.ts';
import { stateBytes } from '../memory/recurrent-states.ts';
import { workingSet } from '../memory/working-set.ts';
import type { Quantization } from '../weights/quantization.ts';
import { modelParts } from './model-parts.ts';
import { tensorShares } from './shares.ts';

/**
 * -> bytes left for KV caches. Throws OUT_OF_MEMORY if this machine cannot hold its part of a model that `machines` of them
 * share.
 */
export function checkShare(read: ReadModel, machines: number, cacheBytes: number): number {
  const { spec } = read;
  const { config, weights, adapters } = spec;
  const layout = loadAddon().weightLayout(spec.exact === true);
  const loading = { layout, quantize: spec.quantize as Quantization | undefined, encoder: false };
  const parts = modelParts(spec, loading, { kvBytes: 0, workingBytes: 0 });
  const machine = { name: '', address: '', memoryBytes: 0, bytesPerSecond: 1 };
  const [share] = tensorShares(parts, new Array<typeof machine>(machines).fill(machine));
  const weightBytes = share?.weightBytes ?? 0;
  const contextLength = checkContext(spec.contextLength, config);
  const work = { config, weights, adapters, loading, weightBytes, contextLength };
  return checkFit(
    {
      ...{ weightBytes, contextLength, cacheBytes },
      kvBytesPerToken: kvBytesPerToken(config, kvElementBytes(layout, spec.kvBits)) / machines,
      stateBytes: stateBytes(config),
      workingBytes: workingSet({ ...work, tokenizer: hasTokens(read) }),
    },
    availableMemory(),
  );
}
