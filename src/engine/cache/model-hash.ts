import { createHash } from 'node:crypto';
import { closeSync, fstatSync, readSync } from 'node:fs';
import type { LoadSpec, WeightFiles } from '../../native/load-types.ts';
import { openFile } from '../../text/files/json-file.ts';
import { canonical } from '../../text/json/canonical.ts';

const SAMPLE_BYTES = 65_536;

/**
 * Identifies what a saved cache depends on: the configuration, and the name, dtype and shape of every tensor,
 * adapters included. A fine-tuned model has the same headers as its base, so a sample of each file's weights is
 * hashed too.
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
  const rows = tensors.map(({ name, dtype, shape }) => canonical([name, dtype, shape]));
  hash.update(rows.sort().join('\n'));
  for (const path of files) hash.update(middleOf(path));
}

function middleOf(path: string): Buffer {
  const descriptor = openFile(path);
  try {
    const { size } = fstatSync(descriptor);
    const sample = Buffer.alloc(Math.min(SAMPLE_BYTES, size));
    const read = readSync(descriptor, sample, 0, sample.length, Math.floor((size - sample.length) / 2));
    return sample.subarray(0, read);
  } finally {
    closeSync(descriptor);
  }
}
