import { createHash } from 'node:crypto';
import type { OtherModel, ServedModel } from '../http/served-models.ts';

/** The version of the API that we follow; clients require a minimum. */
export const OLLAMA_API_VERSION = '0.13.0';

/** An entry of /api/tags. */
export function tagOf(model: ServedModel): object {
  return {
    name: model.id,
    model: model.id,
    modified_at: timeOf(model),
    size: model.bytes,
    digest: digestOf(model),
    details: detailsOf(model),
  };
}

const NEVER = '9999-12-31T23:59:59Z';

/** An entry of /api/ps. The first model never expires, nor does one in use. */
export function runningOf(model: ServedModel, expires?: number): object {
  return {
    name: model.id,
    model: model.id,
    size: model.bytes,
    digest: digestOf(model),
    details: detailsOf(model),
    expires_at: expiry(expires),
    size_vram: model.bytes,
    context_length: model.contextLength,
  };
}

/** An entry of /api/tags for a model that is not loaded, so that less is known of it. */
export function otherTagOf({ id, bytes = 0, modifiedMs = 0 }: OtherModel): object {
  return {
    name: id,
    model: id,
    modified_at: new Date(modifiedMs).toISOString(),
    size: bytes,
    digest: digestOf({ id, bytes, parameters: 0 }),
    details: UNKNOWN,
  };
}

/** /api/show of such a model. */
export function otherShowOf(id: string): object {
  return {
    license: '',
    modelfile: `# served by llm-host\nFROM ${id}\n`,
    parameters: '',
    template: '',
    system: '',
    messages: [],
    details: UNKNOWN,
    model_info: {},
    capabilities: ['completion', 'tools'],
  };
}

const UNKNOWN = {
  parent_model: '',
  format: 'unknown',
  family: 'unknown',
  families: ['unknown'],
  parameter_size: '',
  quantization_level: 'unknown',
};

/** /api/show. `can`: Ollama's words for what a model does. */
export function showOf(model: ServedModel, parameters: string, can: readonly string[]): object {
  return {
    license: '',
    modelfile: `# served by llm-host\nFROM ${model.id}\n`,
    parameters,
    template: model.template,
    details: detailsOf(model),
    model_info: {
      'general.architecture': model.family,
      'general.basename': model.id.split('/').at(-1),
      'general.parameter_count': model.parameters,
      [`${model.family}.context_length`]: model.contextLength,
    },
    capabilities: [...can, ...(model.thinks ? ['thinking'] : [])],
    modified_at: timeOf(model),
    system: '',
    messages: [],
  };
}

function detailsOf({ family, format, parameters, quantization }: ServedModel): object {
  return {
    parent_model: '',
    format,
    family,
    families: [family],
    parameter_size: sizeText(parameters),
    quantization_level: quantization ?? 'unknown',
  };
}

/** `135M`, `1.6B`. */
function sizeText(parameters: number): string {
  return parameters >= 1e9 ? `${(parameters / 1e9).toFixed(1)}B` : `${Math.round(parameters / 1e6)}M`;
}

/** Infinity is beyond what a date can be. */
function expiry(at = Number.POSITIVE_INFINITY): string {
  return Number.isFinite(at) && at < Date.parse(NEVER) ? new Date(at).toISOString() : NEVER;
}

function timeOf({ created }: ServedModel): string {
  return new Date(created * 1000).toISOString();
}

/** A digest of id, size and parameters; hashing the files would take seconds. */
function digestOf({ id, bytes, parameters }: Pick<ServedModel, 'id' | 'bytes' | 'parameters'>): string {
  return createHash('sha256').update(`${id}\0${bytes}\0${parameters}`).digest('hex');
}
