import { LlmHostError } from '../errors.ts';
import { modelContext } from '../model/context-length.ts';
import { ensureModel } from '../model/ensure-model.ts';
import { type ReadModel, readModel } from '../model/load-model.ts';
import { tokenizerOf } from '../model/load-tokenizer.ts';
import { localSource } from '../model/model-source.ts';
import type { LoadSpec } from '../native/load-types.ts';
import { differentToken } from '../tokens/same-tokens.ts';
import type { Tokenizer } from '../tokens/tokenizer-types.ts';
import type { ModelOptions } from './model-options.ts';

/** The model that another one drafts for. */
export type DraftedFor = Pick<ReadModel, 'name' | 'need'> & {
  readonly spec: Pick<LoadSpec, 'config' | 'contextLength'>;
  readonly tokenizer: Tokenizer | undefined;
};

export interface DraftSpec {
  readonly spec: LoadSpec;
  /** Bytes of memory that are left for the KV caches of each of the two models. */
  readonly bytesLeft: number;
}

/**
 * What to load of a draft model, whose context ends with that of the model it drafts for. It is downloaded if it is not
 * in the cache.
 * @throws LlmHostError as `loadEngine` does, OUT_OF_MEMORY if the two do not fit together; MODEL_UNSUPPORTED if its tokens
 * are not those of the model.
 */
export async function draftSpec(
  draftModel: string,
  { name, need, spec, tokenizer }: DraftedFor,
  options: ModelOptions,
): Promise<DraftSpec> {
  const where = { cwd: options.cwd ?? process.cwd(), env: options.env ?? process.env };
  const source = localSource(draftModel, where);
  await ensureModel(source, {
    ...where,
    signal: options.signal,
    onProgress: options.onDownload,
    onWait: options.onWait,
  });
  const read = readModel(source, {
    ...where,
    contextLength: spec.contextLength || (modelContext(spec.config) ?? 0),
    contextIsLimit: true,
    cacheBytes: options.cacheBytes,
    beside: need,
    kvBits: options.kvBits,
    exact: options.exact,
    adapter: [],
  });
  if (read.encoder) throw refusal(`${read.name} turns texts into vectors and proposes no tokens`);
  if (!tokenizer) throw refusal(`${name} has no tokenizer to compare with that of ${read.name}`);
  const own = tokenizerOf(source, where);
  const id = differentToken(tokenizer, own);
  if (id === undefined) return { spec: read.spec, bytesLeft: read.bytesLeft };
  const shown = (tokens: Tokenizer) => (id < tokens.vocabSize ? JSON.stringify(tokens.decode([id])) : 'none');
  throw refusal(
    `${read.name} has other tokens than ${name}: token ${id} is ${shown(own)} instead of ${shown(tokenizer)}`,
  );
}

function refusal(why: string): LlmHostError {
  return new LlmHostError('MODEL_UNSUPPORTED', `--draft-model: ${why}`, {
    hint: 'Name a smaller model of the same family, with the same tokenizer.',
  });
}
