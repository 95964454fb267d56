import { LlmHostError } from '../../errors.ts';
import { quoted, visible } from '../../text/clean/visible.ts';
import { isObject, type JsonObject } from '../../text/files/json-file.ts';
import { QUANTIZE_CHOICES } from './quantize-choices.ts';

/** How weights are quantized; every mode except affine has a single form. */
export interface Quantization {
  readonly mode: 'affine' | 'mxfp4' | 'nvfp4' | 'mxfp8';
  readonly bits: number;
  readonly groupSize: number;
}

const SUPPORTED_QUANTIZATIONS =
  'MLX affine (2, 3, 4, 5, 6, 8 bits in groups of 32, 64, 128), mxfp4, nvfp4, mxfp8';

/** Group size and bits of the modes with a single form. */
const FIXED: Readonly<Record<string, { readonly bits: number; readonly groupSize: number }>> = {
  mxfp4: { bits: 4, groupSize: 32 },
  nvfp4: { bits: 4, groupSize: 16 },
  mxfp8: { bits: 8, groupSize: 32 },
};

/**
 * The quantization in config.json; undefined for an unquantized model. Throws MODEL_UNSUPPORTED for weights quantized by
 * other tools than MLX (names and layouts differ) and for forms MLX lacks, of the whole model or of a single module.
 * `where` is the file or model that the message names.
 */
export function quantizationOf(where: string, config: JsonObject): Quantization | undefined {
  const foreign = config.quantization_config;
  const method = isObject(foreign) ? foreign.quant_method : undefined;
  if (config.quantization === undefined && method !== undefined) {
    // gpt-oss's original files: experts in mxfp4, under their own names.
    if (method === 'mxfp4' && config.model_type === 'gpt_oss') return quantizationFrom({ mode: 'mxfp4' });
    throw unsupported(where, `quantization_config.quant_method ${quoted(method)}`);
  }
  const key = isObject(config.quantization) ? 'quantization' : 'quantization_config';
  const section = config.quantization ?? foreign;
  if (!isObject(section)) return undefined;
  for (const [path, entry] of Object.entries(section)) {
    if (isObject(entry)) check(where, entry, `${key}.${path}`);
  }
  return check(where, section, key);
}

function check(where: string, entry: JsonObject, key: string): Quantization {
  const found = quantizationFrom(entry);
  if (found) return found;
  const { mode = 'affine', bits, group_size: groupSize } = entry;
  throw unsupported(
    where,
    `${key} with mode ${shown(mode)}, ${shown(bits)} bits, groups of ${shown(groupSize)}`,
  );
}

/** A value of config.json, which may be anything. */
const shown = (value: unknown): string => (typeof value === 'string' ? visible(value) : quoted(value));

/** Parses an entry of config.json's `quantization`; undefined if MLX has no such form. */
function quantizationFrom(entry: JsonObject): Quantization | undefined {
  const { mode = 'affine', bits, group_size: groupSize } = entry;
  const fixed = typeof mode === 'string' && Object.hasOwn(FIXED, mode) ? FIXED[mode] : undefined;
  if (fixed) {
    const same = (bits ?? fixed.bits) === fixed.bits && (groupSize ?? fixed.groupSize) === fixed.groupSize;
    return same ? { mode: mode as Quantization['mode'], ...fixed } : undefined;
  }
  const known = [2, 3, 4, 5, 6, 8].includes(bits as number) && [32, 64, 128].includes(groupSize as number);
  if (mode !== 'affine' || !known) return undefined;
  return { mode, bits: bits as number, groupSize: groupSize as number };
}

function unsupported(where: string, what: string): LlmHostError {
  const message = `${where}: ${what} is not supported; supported: ${SUPPORTED_QUANTIZATIONS}`;
  return new LlmHostError('MODEL_UNSUPPORTED', message, {
    hint: 'Use the original model with --quantize 4, one quantized for MLX, or a GGUF file.',
  });
}

/** @throws LlmHostError USAGE naming the choices. */
export function parseQuantize(text: string): Quantization {
  if (!(QUANTIZE_CHOICES as readonly string[]).includes(text)) {
    throw new LlmHostError('USAGE', `--quantize takes one of ${QUANTIZE_CHOICES.join(', ')}, not '${text}'`);
  }
  const bits = Number(text);
  return bits > 0
    ? { mode: 'affine', bits, groupSize: 64 }
    : (quantizationFrom({ mode: text }) as Quantization);
}
