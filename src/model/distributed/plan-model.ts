import { LlmHostError } from '../../errors.ts';
import type { InspectedModel } from '../inspect.ts';
import { quantizationOf } from '../weights/quantization.ts';
import { whyIndivisible } from './divides.ts';
import type { Hosts } from './hosts.ts';
import { modelParts } from './model-parts.ts';
import { partWork } from './part-work.ts';
import { type Plan, planHosts } from './plan.ts';

/** How to divide a model over machines that hold weights as this one does. Throws LlmHostError USAGE. */
export function planModel({ inspection, read, loading }: InspectedModel, hosts: Hosts): Plan {
  if (inspection.encoder)
    throw new LlmHostError('USAGE', `--hosts: ${read.name} turns texts into vectors: it runs on one machine`);
  const { spec, configFile } = read;
  const { kvBytes, contextLength } = inspection.memory;
  const parts = modelParts(spec, loading, {
    kvBytes,
    workingBytes: (machines, first) =>
      partWork(read, { loading, contextLength, machines, first }).workingBytes,
  });
  if (parts.layers.length === 0)
    throw new LlmHostError('USAGE', `--hosts: ${read.name} has no layers to divide`);
  const quantization = loading.quantize ?? quantizationOf(configFile, spec.config);
  const indivisible = whyIndivisible(spec, quantization?.groupSize, hosts.hosts.length);
  return planHosts(parts, hosts, indivisible);
}
