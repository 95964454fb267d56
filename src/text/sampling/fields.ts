import type { NumberRange } from '../number-range.ts';
import type { Sampling } from './sampling.ts';

export type { Sampling, TokenSampling } from './sampling.ts';

/** A sampling field. Its key in the table is its name in the library and in config.json. */
export interface SamplingField {
  /** `biases`: token id -> number; `texts`: a list. */
  readonly kind: 'number' | 'biases' | 'texts' | 'boolean';
  /** The range of the number, or of each bias. */
  readonly range?: NumberRange;
  /** The limit of a list of texts. */
  readonly maxItems?: number;
  /** Without one the field is off, or `doc` says what happens. */
  readonly default?: number;
  /** A line for `--help` and the schema. */
  readonly doc: string;
  readonly names: {
    /** On the command line, without the dashes. */
    readonly flag: string;
    readonly openai: string;
    /** Left out where Ollama has no such option. */
    readonly ollama?: string;
    /** Default: as OpenAI's. */
    readonly anthropic?: string;
  };
}

type KindOf<Value> = Value extends number
  ? 'number'
  : Value extends boolean
    ? 'boolean'
    : Value extends readonly string[]
      ? 'texts'
      : 'biases';

const MAX_INT32 = 2 ** 31 - 1;
const MAX_UINT32 = 2 ** 32 - 1;

/**
 * The one table of sampling fields. `Sampling` has their types; command line options, config.schema.json, HTTP bodies and
 * native/sample/sampling_ranges.h are derived from it; after a change, `npx vitest run test/text/sampling -u` rewrites the
 * schema and the header.
 */
export const SAMPLING_FIELDS = {
  temperature: {
    kind: 'number',
    range: { min: 0, max: 5 },
    default: 0,
    doc: 'randomness of the reply, 0 = greedy',
    names: { flag: 'temperature', openai: 'temperature', ollama: 'temperature' },
  },
  topP: {
    kind: 'number',
    range: { min: 0, above: true, max: 1 },
    default: 1,
    doc: 'nucleus sampling, 1 = off',
    names: { flag: 'top-p', openai: 'top_p', ollama: 'top_p' },
  },
  topK: {
    kind: 'number',
    range: { min: 0, max: MAX_INT32, integer: true },
    default: 0,
    doc: 'sample from the k most likely tokens, 0 = off',
    names: { flag: 'top-k', openai: 'top_k', ollama: 'top_k' },
  },
  minP: {
    kind: 'number',
    range: { min: 0, max: 1, below: true },
    default: 0,
    doc: 'minimum probability relative to the most likely token, 0 = off',
    names: { flag: 'min-p', openai: 'min_p', ollama: 'min_p' },
  },
  repetitionPenalty: {
    kind: 'number',
    range: { min: 0, above: true, max: 10 },
    default: 1,
    doc: 'penalty on tokens of the prompt and the reply, as in Hugging Face, 1 = off',
    names: { flag: 'repetition-penalty', openai: 'repetition_penalty', ollama: 'repeat_penalty' },
  },
  presencePenalty: {
    kind: 'number',
    range: { min: -2, max: 2 },
    default: 0,
    doc: 'penalty on tokens that are in the reply, as in OpenAI, 0 = off',
    names: { flag: 'presence-penalty', openai: 'presence_penalty', ollama: 'presence_penalty' },
  },
  frequencyPenalty: {
    kind: 'number',
    range: { min: -2, max: 2 },
    default: 0,
    doc: 'penalty for each occurrence of a token in the reply, as in OpenAI, 0 = off',
    names: { flag: 'frequency-penalty', openai: 'frequency_penalty', ollama: 'frequency_penalty' },
  },
  logitBias: {
    kind: 'biases',
    range: { min: -100, max: 100 },
    doc: 'bias that is added to the logit of a token id',
    names: { flag: 'logit-bias', openai: 'logit_bias' },
  },
  seed: {
    kind: 'number',
    range: { min: 0, max: MAX_UINT32, integer: true },
    doc: 'the same seed gives the same reply; default: random',
    names: { flag: 'seed', openai: 'seed', ollama: 'seed' },
  },
  reproducible: {
    kind: 'boolean',
    doc: 'the same reply whatever is cached or running; default: with a seed',
    names: { flag: 'reproducible', openai: 'reproducible', ollama: 'reproducible' },
  },
  lookup: {
    kind: 'boolean',
    doc: 'prompt-lookup decoding: faster when the reply repeats the conversation, same text; default: true',
    names: { flag: 'lookup', openai: 'lookup', ollama: 'lookup' },
  },
  maxTokens: {
    kind: 'number',
    range: { min: 1, max: MAX_INT32, integer: true },
    doc: 'maximum tokens of a reply; default: the rest of the context',
    names: { flag: 'max-tokens', openai: 'max_tokens', ollama: 'num_predict' },
  },
  stop: {
    kind: 'texts',
    maxItems: 64,
    doc: 'text that ends the reply',
    names: { flag: 'stop', openai: 'stop', ollama: 'stop', anthropic: 'stop_sequences' },
  },
} as const satisfies {
  readonly [Name in keyof Sampling]-?: SamplingField & { readonly kind: KindOf<NonNullable<Sampling[Name]>> };
};

type Table = typeof SAMPLING_FIELDS;

export type SamplingName = keyof Sampling;

export const SAMPLING_NAMES = Object.keys(SAMPLING_FIELDS) as readonly SamplingName[];

type Defaulted = {
  [Name in SamplingName]: Table[Name] extends { readonly default: number } ? Name : never;
}[SamplingName];

/** The fields that have a default, all of them. */
export type SamplingNumbers = Readonly<Record<Defaulted, number>>;

export function withSamplingDefaults(sampling: Sampling): SamplingNumbers {
  const numbers = SAMPLING_NAMES.flatMap(name => {
    const { default: fallback } = samplingField(name);
    return fallback === undefined ? [] : [[name, sampling[name] ?? fallback] as const];
  });
  return Object.fromEntries(numbers) as SamplingNumbers;
}

/** The table's row, with all that a row may have. */
export function samplingField(name: SamplingName): SamplingField {
  return SAMPLING_FIELDS[name];
}
