import { createHash, type Hash } from 'node:crypto';
import { closeSync, createReadStream, readSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import type { ReadModel } from '../model/load-model.ts';
import { loadAddon } from '../native/load-addon.ts';
import type { AdapterSpec, TensorEntry, WeightFiles } from '../native/load-types.ts';
import { openFile } from '../text/files/json-file.ts';
import { canonical } from '../text/json/canonical.ts';
import type { ModelMark } from './link/messages.ts';

const SAMPLE_BYTES = 4096;
/** Tensors between two looks at what else is to be done, such as answering. */
const TENSORS_AT_ONCE = 128;

/** Headers and a sample of each tensor: two models whose weights differ only outside of all samples look the same. */
export async function markOf(read: ReadModel): Promise<ModelMark> {
  const { spec } = read;
  const weights = createHash('sha256').update(canonical({ config: spec.config, gguf: spec.gguf }));
  await addTensors(weights, spec.weights);
  const adapters = createHash('sha256');
  for (const adapter of spec.adapters satisfies readonly AdapterSpec[]) {
    adapters.update(canonical([adapter.scale, adapter.transposed, adapter.onlyWithTools === true]));
    await addTensors(adapters, adapter.weights);
  }
  const gguf = read.ggufMetadata && spec.weights.files[0];
  return {
    weights: weights.digest('hex'),
    tokenizer: gguf
      ? await headOf(gguf, spec.weights.tensors)
      : hashOf([read.tokenizer ?? null, read.tokenizerConfig ?? null]),
    template: hashOf([read.chatTemplate ?? null, read.toolTemplate ?? null]),
    adapters: adapters.digest('hex'),
    numbers: loadAddon().weightLayout(spec.exact === true),
  };
}

async function addTensors(hash: Hash, { files, tensors }: WeightFiles): Promise<void> {
  const open = files.map(openFile);
  try {
    const rows = [...tensors].sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const [index, { name, dtype, shape, file, offset, bytes }] of rows.entries()) {
      if (index % TENSORS_AT_ONCE === 0) await setImmediate();
      hash.update(JSON.stringify([name, dtype, shape]));
      const sample = Buffer.alloc(Math.min(SAMPLE_BYTES, bytes));
      readSync(
        open[file] as number,
        sample,
        0,
        sample.length,
        offset + Math.floor((bytes - sample.length) / 2),
      );
      hash.update(sample);
    }
  } finally {
    for (const descriptor of open) closeSync(descriptor);
  }
}

const hashOf = (value: unknown) => createHash('sha256').update(canonical(value)).digest('hex');

/** All before the first tensor of a GGUF file: its metadata, with tokenizer and template. */
async function headOf(path: string, tensors: readonly TensorEntry[]): Promise<string> {
  const end = Math.min(...tensors.filter(({ file }) => file === 0).map(({ offset }) => offset));
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { end: Math.max(0, end - 1) }))
    hash.update(chunk as Buffer);
  return hash.digest('hex');
}
