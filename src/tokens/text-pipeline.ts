import { Tokenizer as Library } from '@huggingface/tokenizers';
import { LlmHostError, messageOf } from '../errors.ts';
import { TextList } from '../text/text-list.ts';
import { BytePairs } from './byte-pairs.ts';
import { GrowthLimit } from './growth-limit.ts';
import { type Merges, MergeTable } from './merge-table.ts';
import { readMerges } from './read-merges.ts';
import {
  adaptPreTokenizer,
  brokenTokenizer,
  checkPatterns,
  isObject,
  type JsonObject,
} from './tokenizer-json.ts';
import { Vocabulary } from './vocabulary.ts';
import type { WordModel } from './word-model.ts';

/** How tokenizer.json turns text between added tokens into ids. */
export interface TextPipeline {
  readonly normalize: (text: string) => string;
  /** The words of normalized text. `atStart`: nothing precedes it. */
  readonly split: (text: string, atStart: boolean) => readonly string[];
  readonly model: WordModel;
  /** Without added tokens. */
  readonly vocabulary: Vocabulary;
}

/**
 * Uses normalizers and pre-tokenizers of @huggingface/tokenizers, and its models other than byte-pair encoding.
 * @throws LlmHostError MODEL_BROKEN or MODEL_UNSUPPORTED
 */
export function createPipeline(tokenizerJson: JsonObject, config: JsonObject): TextPipeline {
  const { model } = tokenizerJson;
  if (!isObject(model)) throw brokenTokenizer("'model' is missing");
  const isOwn = isBytePairs(model);
  const library = buildLibrary(tokenizerJson, isOwn ? { type: 'BPE', vocab: {}, merges: [] } : model, config);
  const { normalizer, pre_tokenizer: preTokenizer } = library;
  const growth = new GrowthLimit();
  growth.watch(normalizer);
  growth.watch(preTokenizer);
  const splitWords = (text: string, atStart: boolean) =>
    preTokenizer?.pre_tokenize(text, { section_index: atStart ? 0 : 1 }) ?? [text];
  return {
    normalize: guarded(text => growth.of(text.length, () => normalizer?.normalize(text) ?? text)),
    split: guarded((text, atStart) => growth.of(text.length, () => splitWords(text, atStart))),
    ...(isOwn ? bytePairs(model) : libraryModel(library)),
  };
}

/** The library believes what the file says of its steps: a field of the wrong type surfaces only when text comes. */
function guarded<Arguments extends unknown[], Result>(step: (...given: Arguments) => Result) {
  return (...given: Arguments): Result => {
    try {
      return step(...given);
    } catch (error) {
      if (error instanceof LlmHostError) throw error;
      throw brokenTokenizer(`a step fails: ${messageOf(error)}`);
    }
  };
}

type Model = Pick<TextPipeline, 'model' | 'vocabulary'>;

/** Marked parts of words need the library. Early files do not give the type. */
function isBytePairs(model: JsonObject): boolean {
  const { type, end_of_word_suffix, continuing_subword_prefix, continuing_subword_suffix } = model;
  if (end_of_word_suffix || continuing_subword_prefix || continuing_subword_suffix) return false;
  return type === 'BPE' || (type === undefined && isObject(model.vocab) && model.merges !== undefined);
}

function bytePairs(model: JsonObject): Model {
  const vocabulary = vocabularyOf(model.vocab);
  const { unk_token: unknown } = model;
  const pairs = new BytePairs(vocabulary, new MergeTable(mergesOf(model.merges, vocabulary)), {
    unknownId: typeof unknown === 'string' ? vocabulary.idOf(unknown) : undefined,
    fusesUnknown: model.fuse_unk === true,
    byteFallback: model.byte_fallback === true,
    ignoresMerges: model.ignore_merges === true,
  });
  return { model: pairs, vocabulary };
}

function vocabularyOf(vocab: unknown): Vocabulary {
  if (vocab instanceof Vocabulary) return vocab;
  if (!isObject(vocab)) throw brokenTokenizer("'vocab' is not an object");
  return Vocabulary.ofIds(Object.keys(vocab), token => vocab[token]);
}

function mergesOf(merges: unknown, vocabulary: Vocabulary): Merges {
  if (merges instanceof TextList || Array.isArray(merges)) return readMerges(merges, vocabulary);
  if (isObject(merges) && merges.made instanceof Int32Array) return merges as unknown as Merges;
  throw brokenTokenizer("'merges' is not a list");
}

function libraryModel({ model }: Library): Model {
  if (!model) throw brokenTokenizer("'model' is missing");
  const { unk_token_id: unknownId, tokens_to_ids: ids } = model;
  const encode = (words: readonly string[]) =>
    model._call([...words]).flatMap((token: string) => ids.get(token) ?? unknownId ?? []);
  return {
    model: { encode: guarded(encode), unknownId },
    vocabulary: Vocabulary.ofIds(ids.keys(), token => ids.get(token)),
  };
}

function buildLibrary(tokenizerJson: JsonObject, model: JsonObject, config: JsonObject): Library {
  checkPatterns(tokenizerJson.normalizer);
  checkPatterns(tokenizerJson.pre_tokenizer);
  const adapted = {
    normalizer: tokenizerJson.normalizer ?? null,
    pre_tokenizer: adaptPreTokenizer(tokenizerJson.pre_tokenizer),
    model,
    // Our own code matches them: the library would run the folder's patterns on them without a time limit.
    added_tokens: [tokenizerJson.added_tokens ?? []].flat().map(token => ({ ...token, normalized: false })),
    // Not used: we add no special tokens, and decode ourselves.
    post_processor: null,
    decoder: null,
  };
  try {
    return new Library(adapted, config);
  } catch (error) {
    throw new LlmHostError('MODEL_UNSUPPORTED', `The tokenizer cannot be used: ${messageOf(error)}`, {
      hint: 'tokenizer.json is broken, or of a kind that is not supported yet.',
      cause: error,
    });
  }
}
