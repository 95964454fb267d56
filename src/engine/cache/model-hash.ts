import { createHash } from 'node:crypto';
import { closeSync, readSync } from 'node:fs';
import type { LoadSpec, TensorEntry, WeightFiles } from '../../native/load-types.ts';
import { openFile } from '../../text/files/json-file.ts';
import { canonical } from '../../text/json/canonical.ts';

/** Bytes that are hashed of each tensor. */
const SAMPLE_BYTES = 1024;

/**
 * Identifies what a saved cache depends on: the configuration, and the name, dtype and shape of every tensor,
 * adapters included. A fine-tuned model has the same headers as its base, and often most of its weights, so a sample
 * of each tensor is hashed too.
 */
export function modelHash(spec: LoadSpec): string {
  const {
    contextLength: _contextLength,
    kvBits: _kvBits,
    exact: _exact,
    cacheBytes: _cacheBytes,
    parallel: _parallel,
    maxGapMs: _maxGapMs,
    weights,
    adapters,
    saveTo: _saveTo,
    draft: _draft,
    ...rest
  } = spec;
  const hash = createHash('sha256');
  hash.update(
    canonical({ ...rest, adapterScales: adapters.map(({ scale, transposed }) => [scale, transposed]) }),
  );
  for (const table of [weights, ...adapters.map(adapter => adapter.weights)]) addTable(hash, table);
  return hash.digest('hex');
}

function addTable(hash: ReturnType<typeof createHash>, { files, tensors }: WeightFiles): void {
  const open = files.map(openFile);
  try {
    const rows = [...tensors].sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const tensor of rows) {
      const { name, dtype, shape } = tensor;
      hash.update(canonical([name, dtype, shape]));
      hash.update(middleOf(open[tensor.file] as number, tensor));
    }
  } finally {
    for (const descriptor of open) closeSync(descriptor);
  }
}

function middleOf(descriptor: number, { offset, bytes }: TensorEntry): Buffer {
  const sample = Buffer.alloc(Math.min(SAMPLE_BYTES, bytes));
  const start = offset + Math.floor((bytes - sample.length) / 2);
  return sample.subarray(0, readSync(descriptor, sample, 0, sample.length, start));
}
