import { SAMPLING_NAMES, type Sampling, type SamplingName, samplingField } from './fields.ts';

export type SamplingApi = 'flag' | 'openai' | 'ollama' | 'anthropic';

/** An API's name of each field -> the table's name; fields that the API lacks are left out. */
export function apiNames(api: SamplingApi): ReadonlyMap<string, SamplingName> {
  return new Map(
    SAMPLING_NAMES.flatMap(name => {
      const { names } = samplingField(name);
      const shown = api === 'anthropic' ? (names.anthropic ?? names.openai) : names[api];
      return shown === undefined ? [] : [[shown, name] as const];
    }),
  );
}

/** The fields that are given, under an API's names. */
export function underApiNames(sampling: Sampling, api: SamplingApi): Readonly<Record<string, unknown>> {
  const named = [...apiNames(api)].map(([shown, name]) => [shown, sampling[name]] as const);
  return Object.fromEntries(named.filter(([, value]) => value !== undefined));
}
