import { LlmHostError } from '../errors.ts';
import { SAMPLING_NAMES, type Sampling } from '../text/sampling/fields.ts';
import { firstSamplingProblem } from '../text/sampling/problem.ts';

/** The sampling fields among other options. @throws LlmHostError USAGE: one that cannot be */
export function samplingOf(options: Sampling): Sampling {
  const problem = firstSamplingProblem(options);
  if (problem !== undefined) throw new LlmHostError('USAGE', problem);
  const given = SAMPLING_NAMES.filter(name => options[name] !== undefined);
  return Object.fromEntries(given.map(name => [name, options[name]]));
}
