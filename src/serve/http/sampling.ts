import { apiNames, type SamplingApi } from '../../text/sampling/api-names.ts';
import { SAMPLING_FIELDS, type Sampling, type SamplingName } from '../../text/sampling/fields.ts';
import { samplingProblem } from '../../text/sampling/problem.ts';
import { badRequest } from './api-error.ts';

/** Maps an API's value to one of the table's; undefined: as if not given. */
export type SamplingReaders = { readonly [Name in SamplingName]?: (value: unknown) => unknown };

export interface SamplingSource {
  readonly api: Exclude<SamplingApi, 'flag'>;
  /** Prefix of names in messages: `options.`. */
  readonly prefix?: string;
  /** Another name for `maxTokens`, which wins over the API's own. */
  readonly limit?: string;
  readonly readers?: SamplingReaders;
  /** undefined: unknown. */
  readonly vocabSize?: number | undefined;
}

const SEED_COUNT = SAMPLING_FIELDS.seed.range.max + 1;

const SHARED: SamplingReaders = {
  // All take 0, of which the likeliest token is left.
  topP: value => (value === 0 ? 1e-6 : value),
  // Both APIs take any integer.
  seed: value => (isWhole(value) ? ((value % SEED_COUNT) + SEED_COUNT) % SEED_COUNT : value),
  stop: value => (typeof value === 'string' ? [value] : value),
};

/** The sampling fields of a body; null means not given. Throws ApiError 400 with the name that the API uses. */
export function readSampling(body: Readonly<Record<string, unknown>>, source: SamplingSource): Sampling {
  const { api, prefix = '', limit, vocabSize } = source;
  const readers: SamplingReaders = { ...SHARED, ...source.readers };
  const names = [...apiNames(api), ...(limit === undefined ? [] : [[limit, 'maxTokens'] as const])];
  const fields = names.flatMap(([key, name]) => {
    const given = body[key] ?? undefined;
    const read = readers[name] ?? (value => value);
    const value = given === undefined ? undefined : read(given);
    if (value === undefined) return [];
    const shown = `${prefix}${key}`;
    const problem =
      samplingProblem(name, value, shown) ??
      (name === 'logitBias' ? tokenProblem(value as object, shown, vocabSize) : undefined);
    if (problem) throw badRequest(problem, shown);
    return [[name, value] as const];
  });
  return Object.fromEntries(fields);
}

function tokenProblem(
  biases: object,
  shown: string,
  vocabSize = Number.POSITIVE_INFINITY,
): string | undefined {
  const unknown = Object.keys(biases).find(id => Number(id) >= vocabSize);
  return unknown && `${shown} must have token ids from 0 to ${vocabSize - 1} as keys, got ${unknown}`;
}

function isWhole(value: unknown): value is number {
  return Number.isInteger(value);
}
