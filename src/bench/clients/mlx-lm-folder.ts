import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readGgufHeader } from '../../model/gguf/gguf.ts';
import type { JsonObject } from '../../text/files/json-file.ts';
import { ggufTokenizer } from '../../tokens/gguf-tokenizer.ts';
import type { Vocabulary } from '../../tokens/vocabulary.ts';

/**
 * The folder that mlx_lm.server loads: `model` itself, or, if that was made of the GGUF file `gguf` and so has no tokenizer, an
 * empty folder that `makeFolder` returns, filled with links to it and the file's tokenizer.
 */
export function mlxLmFolder(
  model: string,
  gguf: string | undefined,
  makeFolder: () => string,
  chatTemplate?: string,
): string {
  if (existsSync(join(model, 'tokenizer.json')) || gguf === undefined) return model;
  const target = makeFolder();
  for (const name of ['config.json', 'model.safetensors']) symlinkSync(join(model, name), join(target, name));
  const { tokenizerJson, tokenizerConfig } = ggufTokenizer(readGgufHeader(gguf).metadata);
  writeFileSync(join(target, 'tokenizer.json'), JSON.stringify(asTransformersReads(tokenizerJson)));
  const config = {
    ...tokenizerConfig,
    tokenizer_class: 'PreTrainedTokenizerFast',
    ...(chatTemplate !== undefined && { chat_template: chatTemplate }),
  };
  writeFileSync(join(target, 'tokenizer_config.json'), JSON.stringify(config));
  return target;
}

/** With the fields that our own reader can do without. */
function asTransformersReads(tokenizer: JsonObject): JsonObject {
  const {
    added_tokens: added,
    decoder,
    model,
  } = tokenizer as {
    readonly added_tokens: readonly object[];
    readonly decoder?: object;
    readonly model: { readonly vocab: Vocabulary; readonly merges: Iterable<string> };
  };
  const plain = { single_word: false, lstrip: false, rstrip: false, normalized: false };
  return {
    ...tokenizer,
    model: {
      ...model,
      vocab: Object.fromEntries(Array.from(model.vocab.texts, (token, id) => [token, id])),
      merges: [...model.merges],
    },
    added_tokens: added.map(token => ({ ...plain, ...token })),
    decoder: { add_prefix_space: false, trim_offsets: true, ...decoder },
  };
}
