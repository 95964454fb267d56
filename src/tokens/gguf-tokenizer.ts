import { LlmHostError } from '../errors.ts';
import { TextList } from '../text/text-list.ts';
import { sentencePieceJson } from './gguf-sentencepiece.ts';
import type { JsonObject } from './tokenizer-json.ts';
import { Vocabulary } from './vocabulary.ts';

const GPT2_REGEX = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: true };
const BYTES_ONLY = { ...GPT2_REGEX, use_regex: false };
const splitBy = (Regex: string) => ({
  type: 'Split',
  pattern: { Regex },
  behavior: 'Isolated',
  invert: false,
});
const sequence = (...pretokenizers: object[]) => ({ type: 'Sequence', pretokenizers });
const digitsThenGpt2 = sequence({ type: 'Digits', individual_digits: true }, GPT2_REGEX);

const WORDS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+";
const UPPER = '\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}';
const LOWER = '\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}';
/** Words that end where capitals begin; `ending`: what may follow them. */
const casedWords = (ending: string) =>
  `[^\\r\\n\\p{L}\\p{N}]?[${UPPER}]*[${LOWER}]+${ending}|[^\\r\\n\\p{L}\\p{N}]?[${UPPER}]+[${LOWER}]*${ending}`;
const REST_WITH_SLASHES = ' ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+';
const REST = ' ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+';

interface PreTokenization {
  readonly preTokenizer: object;
  readonly normalizer?: object;
  /** A word in the vocabulary is not split. */
  readonly ignoreMerges?: boolean;
  /** Texts begin with BOS unless the file says otherwise, as in llama.cpp. */
  readonly addsBos?: boolean;
}

const LLAMA_3: PreTokenization = {
  preTokenizer: sequence(splitBy(`${WORDS}|\\p{N}{1,3}|${REST}`), BYTES_ONLY),
  ignoreMerges: true,
  addsBos: true,
};

const DEEPSEEK_3: PreTokenization = {
  preTokenizer: sequence(
    splitBy('\\p{N}{1,3}'),
    splitBy('[一-龥぀-ゟ゠-ヿ]+'),
    splitBy(
      '[!"#$%&\'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+|' +
        ' ?[\\p{P}\\p{S}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+',
    ),
    BYTES_ONLY,
  ),
};

const QWEN_2: PreTokenization = {
  preTokenizer: sequence(splitBy(`${WORDS}|\\p{N}|${REST}`), BYTES_ONLY),
  normalizer: { type: 'NFC' },
};

/** `tokenizer.ggml.pre`: how text is split before merging. One entry per name that llama.cpp's converter writes. */
const PRE_TOKENIZATIONS: Readonly<Record<string, PreTokenization>> = {
  'gpt-2': { preTokenizer: GPT2_REGEX },
  'phi-2': { preTokenizer: GPT2_REGEX },
  olmo: { preTokenizer: GPT2_REGEX },
  exaone4: { preTokenizer: GPT2_REGEX },
  smollm: { preTokenizer: digitsThenGpt2 },
  starcoder: { preTokenizer: digitsThenGpt2 },
  refact: { preTokenizer: digitsThenGpt2 },
  granite: { preTokenizer: digitsThenGpt2 },
  'command-r': { preTokenizer: digitsThenGpt2, normalizer: { type: 'NFC' } },
  'llama-bpe': LLAMA_3,
  'llama-v3': LLAMA_3,
  llama3: LLAMA_3,
  falcon3: LLAMA_3,
  lfm2: LLAMA_3,
  'falcon-h1': LLAMA_3,
  pixtral: LLAMA_3,
  'smaug-bpe': { preTokenizer: LLAMA_3.preTokenizer },
  'gpt-4o': {
    preTokenizer: sequence(
      splitBy(`${casedWords("(?i:'s|'t|'re|'ve|'m|'ll|'d)?")}|\\p{N}{1,3}|${REST_WITH_SLASHES}`),
      BYTES_ONLY,
    ),
  },
  tekken: {
    preTokenizer: sequence(splitBy(`${casedWords('')}|\\p{N}|${REST_WITH_SLASHES}`), BYTES_ONLY),
    ignoreMerges: true,
    addsBos: true,
  },
  qwen35: {
    preTokenizer: sequence(
      splitBy(
        "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+|\\p{N}|" +
          ' ?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+',
      ),
      BYTES_ONLY,
    ),
    normalizer: { type: 'NFC' },
  },
  dbrx: { preTokenizer: sequence(splitBy(`${WORDS}|\\p{N}{1,3}|${REST}`), BYTES_ONLY) },
  'chatglm-bpe': { preTokenizer: sequence(splitBy(`${WORDS}|\\p{N}{1,3}|${REST}`), BYTES_ONLY) },
  glm4: { preTokenizer: sequence(splitBy(`${WORDS}|\\p{N}{1,3}|${REST}`), BYTES_ONLY) },
  'seed-coder': {
    preTokenizer: sequence(
      splitBy(`${WORDS}|\\p{N}| ?[^\\s\\p{L}\\p{N}\\r\\n]+|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+`),
      BYTES_ONLY,
    ),
  },
  'hunyuan-dense': DEEPSEEK_3,
  'deepseek-v3': DEEPSEEK_3,
  default: {
    preTokenizer: sequence(
      splitBy('[\\p{P}$+<=>^~|]+'),
      splitBy("'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)"),
      splitBy('\\p{N}+'),
      splitBy('[0-9][0-9][0-9]'),
      BYTES_ONLY,
    ),
  },
  qwen2: QWEN_2,
  'deepseek-r1-qwen': QWEN_2,
};

const UNKNOWN = 2;
const CONTROL = 3;
const USER_DEFINED = 4;

/** The input of `createTokenizer`. */
export interface TokenizerFiles {
  readonly tokenizerJson: JsonObject;
  readonly tokenizerConfig: JsonObject;
}

/**
 * The contents of tokenizer.json and tokenizer_config.json from GGUF metadata. Throws LlmHostError MODEL_UNSUPPORTED
 * for a tokenizer not in the table, MODEL_BROKEN for inconsistent metadata.
 */
export function ggufTokenizer(metadata: ReadonlyMap<string, unknown>): TokenizerFiles {
  const kind = metadata.get('tokenizer.ggml.model');
  const sentencePiece = kind === 'llama' || kind === 'gemma4';
  const tokenizerJson = sentencePiece ? fromPieces(metadata, kind) : fromMerges(metadata, kind);
  const tokens = texts(metadata, 'tokenizer.ggml.tokens');
  const textOf = (key: string) => tokens.at(Number(metadata.get(key) ?? -1));
  return {
    tokenizerJson,
    tokenizerConfig: {
      bos_token: textOf('tokenizer.ggml.bos_token_id'),
      eos_token: textOf('tokenizer.ggml.eos_token_id'),
      add_bos_token:
        metadata.get('tokenizer.ggml.add_bos_token') ??
        (sentencePiece || preTokenization(metadata)?.addsBos === true),
    },
  };
}

/** SentencePiece, which llama.cpp calls `llama`; or `gemma4`, if the file has its merges. */
function fromPieces(metadata: ReadonlyMap<string, unknown>, kind: 'llama' | 'gemma4'): JsonObject {
  const tokens = texts(metadata, 'tokenizer.ggml.tokens');
  const types = numbers(metadata, 'tokenizer.ggml.token_type', tokens.length);
  const unknown = Number(
    metadata.get('tokenizer.ggml.unknown_token_id') ?? Array.from(types).indexOf(UNKNOWN),
  );
  return sentencePieceJson({
    tokens,
    order:
      kind === 'gemma4'
        ? { merges: texts(metadata, 'tokenizer.ggml.merges') }
        : { scores: numbers(metadata, 'tokenizer.ggml.scores', tokens.length) },
    spacePrefix: metadata.get('tokenizer.ggml.add_space_prefix') !== false,
    unknown: tokens.at(unknown),
    addedTokens: addedTokens(tokens, types),
  });
}

/** Byte-level BPE, which llama.cpp calls `gpt2`. */
function fromMerges(metadata: ReadonlyMap<string, unknown>, kind: unknown): JsonObject {
  if (kind !== 'gpt2') throw unsupported('tokenizer.ggml.model', kind, ['gpt2', 'llama', 'gemma4']);
  const row = preTokenization(metadata);
  if (!row) {
    const pre = metadata.get('tokenizer.ggml.pre');
    throw unsupported('tokenizer.ggml.pre', pre, Object.keys(PRE_TOKENIZATIONS));
  }
  const tokens = texts(metadata, 'tokenizer.ggml.tokens');
  const types = numbers(metadata, 'tokenizer.ggml.token_type', tokens.length);
  return {
    version: '1.0',
    added_tokens: addedTokens(tokens, types),
    normalizer: row.normalizer ?? null,
    pre_tokenizer: row.preTokenizer,
    post_processor: null,
    decoder: { type: 'ByteLevel' },
    model: {
      type: 'BPE',
      vocab: new Vocabulary(tokens),
      merges: texts(metadata, 'tokenizer.ggml.merges'),
      ignore_merges: row.ignoreMerges ?? false,
    },
  };
}

function preTokenization(metadata: ReadonlyMap<string, unknown>): PreTokenization | undefined {
  const pre = metadata.get('tokenizer.ggml.pre');
  return typeof pre === 'string' && Object.hasOwn(PRE_TOKENIZATIONS, pre)
    ? PRE_TOKENIZATIONS[pre]
    : undefined;
}

function addedTokens(tokens: TextList, types: ArrayLike<number>): object[] {
  return Array.from(types).flatMap((type, id) =>
    type === CONTROL || type === USER_DEFINED
      ? [{ id, content: tokens.at(id), special: type === CONTROL, normalized: false }]
      : [],
  );
}

function texts(metadata: ReadonlyMap<string, unknown>, key: string): TextList {
  const value = metadata.get(key);
  if (value instanceof TextList && value.length > 0) return value;
  if (!Array.isArray(value) || value.length === 0) throw broken(`${key} is missing or empty`);
  if (!value.every(item => typeof item === 'string')) throw broken(`${key} holds something other than text`);
  return TextList.of(value);
}

function numbers(metadata: ReadonlyMap<string, unknown>, key: string, count: number): ArrayLike<number> {
  const value = metadata.get(key) as ArrayLike<number> | undefined;
  if (typeof value !== 'object' || value?.length !== count) {
    throw broken(`${key} has ${value?.length ?? 'no'} entries for ${count} tokens`);
  }
  return value;
}

function unsupported(key: string, value: unknown, known: readonly string[]): LlmHostError {
  const found = value === undefined ? 'is missing' : `is '${String(value)}'`;
  return new LlmHostError(
    'MODEL_UNSUPPORTED',
    `The GGUF file's tokenizer is not supported: ${key} ${found}`,
    {
      hint: `Supported: ${known.join(', ')}.`,
    },
  );
}

function broken(detail: string): LlmHostError {
  return new LlmHostError('MODEL_BROKEN', `The GGUF file's tokenizer is broken: ${detail}`, {
    hint: 'Fetch the file again.',
  });
}
