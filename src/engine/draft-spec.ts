import { LlmHostError } from '../errors.ts';
import { ensureModel } from '../model/ensure-model.ts';
import { readModel } from '../model/load-model.ts';
import { loadTokenizer } from '../model/load-tokenizer.ts';
import type { LoadSpec } from '../native/load-types.ts';
import { differentToken } from '../tokens/same-tokens.ts';
import type { Tokenizer } from '../tokens/tokenizer-types.ts';
import type { LoadEngineOptions } from './load-engine.ts';

/**
 * What to load of a draft model for the model `name`. It is downloaded if it is not in the cache.
 * @throws LlmHostError as `loadEngine` does; MODEL_UNSUPPORTED if its tokens are not those of the model.
 */
export async function draftSpec(
  source: string,
  { name, tokenizer }: { readonly name: string; readonly tokenizer: Tokenizer | undefined },
  options: LoadEngineOptions,
): Promise<LoadSpec> {
  const where = { cwd: options.cwd ?? process.cwd(), env: options.env ?? process.env };
  await ensureModel(source, {
    ...where,
    signal: options.signal,
    onProgress: options.onDownload,
    onWait: options.onWait,
  });
  const read = readModel(source, {
    ...where,
    contextLength: 0,
    kvBits: options.kvBits ?? 0,
    exact: options.exact,
    adapter: [],
  });
  if (read.encoder) throw refusal(`${read.name} turns texts into vectors and proposes no tokens`);
  if (!tokenizer) throw refusal(`${name} has no tokenizer to compare with that of ${read.name}`);
  const own = loadTokenizer(source, where);
  const id = differentToken(tokenizer, own);
  if (id === undefined) return read.spec;
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
