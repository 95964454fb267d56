import type { Host } from './hosts.ts';
import type { Bytes, ModelParts } from './model-parts.ts';

/** One machine's part of a model. */
export interface Share {
  readonly name: string;
  readonly address: string;
  /** Layers that it computes, all or a part of each. */
  readonly firstLayer: number;
  readonly layers: number;
  readonly weightBytes: number;
  readonly kvBytes: number;
  /** With the working set. */
  readonly totalBytes: number;
  readonly memoryBytes: number;
  readonly fits: boolean;
  /** For reading its weights once. */
  readonly seconds: number;
}

type Part = Pick<Share, 'firstLayer' | 'layers' | 'kvBytes'> & {
  readonly weights: Bytes;
  readonly workingBytes: number;
};

function shareOf({ name, address, memoryBytes, bytesPerSecond }: Host, part: Part): Share {
  const { weights, workingBytes, ...rest } = part;
  const totalBytes = weights.held + part.kvBytes + workingBytes;
  return {
    name,
    address,
    ...rest,
    weightBytes: weights.held,
    totalBytes,
    memoryBytes,
    fits: totalBytes <= memoryBytes,
    seconds: weights.read / bytesPerSecond,
  };
}

/** Each machine has the same part of every layer's heads and network, and all of the rest. */
export function tensorShares(parts: ModelParts, hosts: readonly Host[]): Share[] {
  const n = hosts.length;
  const whole = sum([parts.ends, ...parts.layers.map(layer => layer.whole)]);
  const divided = sum(parts.layers.map(layer => layer.divided));
  const weights = { held: whole.held + divided.held / n, read: whole.read + divided.read / n };
  const part = {
    firstLayer: 0,
    layers: parts.layers.length,
    kvBytes: parts.kvBytes / n,
    weights,
  };
  return hosts.map((host, index) =>
    shareOf(host, { ...part, workingBytes: parts.workingBytes(n, index === 0) }),
  );
}

/** Each machine has some of the layers, as many as its part of all memory; the first has the embedding, the last the head. */
export function pipelineShares(parts: ModelParts, hosts: readonly Host[]): Share[] {
  const counts = layerCounts(
    parts.layers.length,
    hosts.map(host => host.memoryBytes),
  );
  const last = hosts.length - 1;
  // A tied embedding is the head too.
  const headBytes = parts.ends.read;
  let firstLayer = 0;
  return hosts.map((host, index) => {
    const layers = counts[index] as number;
    const own = parts.layers.slice(firstLayer, firstLayer + layers);
    const part = {
      firstLayer,
      layers,
      kvBytes: (parts.kvBytes * layers) / parts.layers.length,
      workingBytes: parts.workingBytes(1, index === 0),
      weights: sum([
        ...own.flatMap(layer => [layer.divided, layer.whole]),
        index === 0 && last > 0 ? { held: parts.embeddingBytes, read: 0 } : NOTHING,
        index === last ? { held: last === 0 ? parts.ends.held : headBytes, read: headBytes } : NOTHING,
      ]),
    };
    firstLayer += layers;
    return shareOf(host, part);
  });
}

const NOTHING: Bytes = { held: 0, read: 0 };

function sum(parts: readonly Bytes[]): Bytes {
  return parts.reduce((all, { held, read }) => ({ held: all.held + held, read: all.read + read }), NOTHING);
}

/** Whole layers in proportion to `weights`; those left over go to the largest remainders. */
export function layerCounts(layers: number, weights: readonly number[]): number[] {
  const total = weights.reduce((a, b) => a + b, 0);
  const exact = weights.map(weight => (layers * weight) / total);
  const counts = exact.map(Math.floor);
  const order = exact.map((count, index) => ({ index, rest: count % 1 })).sort((a, b) => b.rest - a.rest);
  const left = layers - counts.reduce((a, b) => a + b, 0);
  for (const { index } of order.slice(0, left)) counts[index] = (counts[index] as number) + 1;
  return counts;
}
