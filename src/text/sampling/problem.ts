import { isPlainObject } from '../json/plain-object.ts';
import { isInRange, rangeText } from '../number-range.ts';
import {
  SAMPLING_NAMES,
  type Sampling,
  type SamplingField,
  type SamplingName,
  samplingField,
} from './fields.ts';

/**
 * Why `value` cannot be the field, in a sentence that begins with `shown`, the field's name where it was given:
 * `--top-p must be a number above 0 and at most 1, got 7`. Undefined: it can.
 */
export function samplingProblem(name: SamplingName, value: unknown, shown: string): string | undefined {
  const field = samplingField(name);
  if (field.kind === 'biases') return biasesProblem(field, value, shown);
  if (field.kind === 'texts') return textsProblem(field, value, shown);
  if (field.kind === 'boolean') return booleanProblem(value, shown);
  return numberProblem(field, value, shown);
}

/** The first problem among the fields that are given, each shown as `shown` says; default: by the table's own name. */
export function firstSamplingProblem(
  sampling: Sampling,
  shown: (name: SamplingName) => string = name => name,
): string | undefined {
  for (const name of SAMPLING_NAMES) {
    const value = sampling[name] ?? undefined;
    const problem = value === undefined ? undefined : samplingProblem(name, value, shown(name));
    if (problem) return problem;
  }
  return undefined;
}

function numberProblem({ range }: SamplingField, value: unknown, shown: string): string | undefined {
  if (!range || isInRange(value, range)) return undefined;
  return `${shown} must be ${rangeText(range)}, got ${received(value)}`;
}

function biasesProblem(field: SamplingField, value: unknown, shown: string): string | undefined {
  if (!isPlainObject(value)) {
    return `${shown} must be an object of token ids and numbers, got ${received(value)}`;
  }
  for (const [id, bias] of Object.entries(value)) {
    if (!/^\d+$/.test(id)) return `${shown} must have token ids as keys, got ${received(id)}`;
    const problem = numberProblem(field, bias, `${shown}[${id}]`);
    if (problem) return problem;
  }
  return undefined;
}

function textsProblem({ maxItems = 0 }: SamplingField, value: unknown, shown: string): string | undefined {
  if (!Array.isArray(value)) return `${shown} must be a list of texts, got ${received(value)}`;
  if (value.length > maxItems) return `${shown} must have at most ${maxItems} texts, got ${value.length}`;
  const at = value.findIndex(text => typeof text !== 'string');
  return at < 0 ? undefined : `${shown}[${at}] must be a text, got ${received(value[at])}`;
}

function booleanProblem(value: unknown, shown: string): string | undefined {
  return typeof value === 'boolean' ? undefined : `${shown} must be true or false, got ${received(value)}`;
}

const MAX_SHOWN = 40;

/** A value of a stranger in a message: short, on one line. */
function received(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, MAX_SHOWN));
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
