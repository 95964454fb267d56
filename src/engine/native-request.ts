import { randomInt } from 'node:crypto';
import { LlmHostError } from '../errors.ts';
import type { NativeRequest } from '../native/addon-types.ts';
import { SAMPLING_FIELDS, withSamplingDefaults } from '../text/sampling/fields.ts';
import { firstSamplingProblem } from '../text/sampling/problem.ts';
import type { EngineInfo } from './engine.ts';
import type { EngineJob, JobEngineInfo } from './engine-job.ts';

const MAX_LOGPROBS = 20;
const MAX_INT = 2 ** 31 - 1;

/**
 * Checks a request and fills in defaults. @throws LlmHostError USAGE: names the field, what is allowed and what was
 * given; CONTEXT_FULL: the prompt is longer than the context.
 */
export function toNativeRequest(
  request: EngineJob,
  model: Pick<JobEngineInfo, keyof EngineInfo | 'adaptersOptional'>,
  defaultStopIds: readonly number[],
): NativeRequest {
  const promptIds = ids('promptIds', request.promptIds, model.vocabSize);
  if (promptIds.length === 0) throw usage('promptIds', 'at least one token id', '[]');
  if (promptIds.length > model.contextLength) {
    throw new LlmHostError(
      'CONTEXT_FULL',
      `the prompt has ${promptIds.length} tokens, but the context holds ${model.contextLength}`,
      { hint: 'Shorten the prompt or load the model with a longer context.' },
    );
  }
  const stopIds = request.ignoreEos ? [] : (request.stopIds ?? defaultStopIds);
  return {
    promptIds,
    ...samplingOf(request, model),
    stopIds: ids('stopIds', stopIds, model.vocabSize),
    logprobs: request.logprobs === undefined ? -1 : integer('logprobs', request.logprobs, 0, MAX_LOGPROBS),
    checkpoints: Int32Array.from(request.checkpoints ?? [], (position, i) =>
      integer(`checkpoints[${i}]`, position, 1, promptIds.length),
    ),
    ...(request.promptLogprobs && { promptLogprobs: true }),
    ...((request.reproducible ?? request.seed !== undefined) && { reproducible: true }),
    ...(model.adaptersOptional && request.adapted === false && { adapted: false }),
    ...((request.lookup ?? true) && { lookup: true }),
    ...(request.measureGraph && { measureGraph: true }),
    prefillChunk:
      request.prefillChunk === undefined ? 0 : integer('prefillChunk', request.prefillChunk, 1, MAX_INT),
    ...(request.allowedFirst && {
      allowedFirst: bits('allowedFirst', request.allowedFirst, model.vocabSize),
    }),
    callConfidence: request.callStart?.confidence ?? 0,
    ...(request.callStart && {
      callStart: integer('callStart', request.callStart.token, 0, model.vocabSize - 1),
    }),
    continued: integer('continued', request.continued ?? 0, 0, promptIds.length),
  };
}

/** The sampling fields, checked and complete. */
function samplingOf(request: EngineJob, { vocabSize, contextLength }: EngineInfo) {
  const problem = firstSamplingProblem(request);
  if (problem) throw new LlmHostError('USAGE', problem);
  const biases = Object.entries(request.logitBias ?? {});
  return {
    ...withSamplingDefaults(request),
    maxTokens: request.maxTokens ?? contextLength,
    logitBiasIds: Int32Array.from(biases, ([id]) =>
      integer('a token of logitBias', Number(id), 0, vocabSize - 1),
    ),
    logitBias: Float32Array.from(biases, ([, bias]) => bias),
    seed: request.seed ?? randomInt(SAMPLING_FIELDS.seed.range.max + 1),
  };
}

function bits(name: string, values: Uint8Array, count: number): Uint8Array {
  const bytes = Math.ceil(count / 8);
  if (values.length === bytes) return values;
  throw usage(name, `a bit for each of ${count} tokens (${bytes} bytes)`, `${values.length} bytes`);
}

function ids(name: string, values: ArrayLike<number>, vocabSize: number): Int32Array {
  const last = vocabSize - 1;
  const checked = new Int32Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const id = values[i] as number;
    // The name is only built for an error: a prompt can have 100,000 ids.
    if (!isIntegerWithin(id, 0, last)) integer(`${name}[${i}]`, id, 0, last);
    checked[i] = id;
  }
  return checked;
}

function isIntegerWithin(value: number, low: number, high: number): boolean {
  return Number.isInteger(value) && value >= low && value <= high;
}

function integer(name: string, value: number, low: number, high: number): number {
  if (!isIntegerWithin(value, low, high)) throw usage(name, `an integer from ${low} to ${high}`, value);
  return value;
}

function usage(name: string, expected: string, got: unknown): LlmHostError {
  return new LlmHostError('USAGE', `${name} must be ${expected}, got ${String(got)}`);
}
