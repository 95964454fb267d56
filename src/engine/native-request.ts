import { randomInt } from 'node:crypto';
import { LlmHostError } from '../errors.ts';
import type { NativeRequest } from '../native/addon-types.ts';
import type { EngineInfo, GenerateRequest } from './engine.ts';

const MAX_SEED = 2 ** 32 - 1;
const MAX_LOGPROBS = 20;
const MAX_INT = 2 ** 31 - 1;

/**
 * Checks a request and fills in its defaults.
 * @throws LlmHostError USAGE: names the field, what it may be and what was given; CONTEXT_FULL: a prompt longer
 *   than the context.
 */
export function toNativeRequest(
  request: GenerateRequest,
  model: EngineInfo,
  defaultStopIds: readonly number[],
): NativeRequest {
  const promptIds = ids('promptIds', request.promptIds, model.vocabSize);
  if (promptIds.length === 0) throw usage('promptIds', 'at least one token id', '[]');
  if (promptIds.length > model.contextLength) {
    throw new LlmHostError(
      'CONTEXT_FULL',
      `the prompt has ${promptIds.length} tokens, the context holds ${model.contextLength}`,
      { hint: 'Shorten the prompt or load the model with a longer context.' },
    );
  }
  const stopIds = request.ignoreEos ? [] : (request.stopIds ?? defaultStopIds);
  return {
    promptIds,
    maxTokens: integer('maxTokens', request.maxTokens ?? model.contextLength, 1, MAX_INT),
    temperature: number(
      'temperature',
      request.temperature ?? 0,
      'a finite number of at least 0',
      t => t >= 0,
    ),
    topP: number('topP', request.topP ?? 1, 'a number above 0 and at most 1', p => p > 0 && p <= 1),
    topK: integer('topK', request.topK ?? 0, 0, MAX_INT),
    minP: number('minP', request.minP ?? 0, 'a number of at least 0 and below 1', p => p >= 0 && p < 1),
    ...penalties(request, model.vocabSize),
    seed: integer('seed', request.seed ?? randomInt(MAX_SEED + 1), 0, MAX_SEED),
    stopIds: ids('stopIds', stopIds, model.vocabSize),
    logprobs: request.logprobs === undefined ? -1 : integer('logprobs', request.logprobs, 0, MAX_LOGPROBS),
    checkpoints: Int32Array.from(request.checkpoints ?? [], (position, i) =>
      integer(`checkpoints[${i}]`, position, 1, promptIds.length),
    ),
    ...(request.promptLogprobs && { promptLogprobs: true }),
    ...(request.measureGraph && { measureGraph: true }),
    prefillChunk:
      request.prefillChunk === undefined ? 0 : integer('prefillChunk', request.prefillChunk, 1, MAX_INT),
    ...(request.allowedFirst && {
      allowedFirst: bits('allowedFirst', request.allowedFirst, model.vocabSize),
    }),
    continued: integer('continued', request.continued ?? 0, 0, promptIds.length),
  };
}

function penalties(request: GenerateRequest, vocabSize: number) {
  const { logitBias = {}, repetitionPenalty = 1, presencePenalty = 0, frequencyPenalty = 0 } = request;
  const biases = Object.entries(logitBias);
  for (const [id, bias] of biases) number(`logitBias[${id}]`, bias, 'a number from -100 to 100', within(100));
  const expected = 'a number from -2 to 2';
  return {
    logitBiasIds: Int32Array.from(biases, ([id]) =>
      integer('a token of logitBias', Number(id), 0, vocabSize - 1),
    ),
    logitBias: Float32Array.from(biases, ([, bias]) => bias),
    repetitionPenalty: number(
      'repetitionPenalty',
      repetitionPenalty,
      'a number above 0 and at most 10',
      p => p > 0 && p <= 10,
    ),
    presencePenalty: number('presencePenalty', presencePenalty, expected, within(2)),
    frequencyPenalty: number('frequencyPenalty', frequencyPenalty, expected, within(2)),
  };
}

function bits(name: string, values: Uint8Array, count: number): Uint8Array {
  const bytes = Math.ceil(count / 8);
  if (values.length === bytes) return values;
  throw usage(name, `a bit for each of ${count} tokens (${bytes} bytes)`, `${values.length} bytes`);
}

function within(limit: number): (value: number) => boolean {
  return value => Math.abs(value) <= limit;
}

function ids(name: string, values: ArrayLike<number>, vocabSize: number): Int32Array {
  const last = vocabSize - 1;
  const checked = new Int32Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const id = values[i] as number;
    // Named only when refused: a prompt can have 100,000 ids.
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

function number(name: string, value: number, expected: string, fits: (n: number) => boolean): number {
  if (!Number.isFinite(value) || !fits(value)) throw usage(name, expected, value);
  return value;
}

function usage(name: string, expected: string, got: unknown): LlmHostError {
  return new LlmHostError('USAGE', `${name} must be ${expected}, got ${String(got)}`);
}
