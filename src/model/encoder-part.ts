import type { EncoderSpec, TensorEntry, WeightFiles } from '../native/load-types.ts';
import { isObject, type JsonObject } from '../text/files/json-file.ts';
import type { EncoderConfig } from './encoder/encoder-config.ts';
import type { DenseModule } from './encoder/encoder-modules.ts';
import { isEncoderType } from './encoder/encoder-types.ts';
import { withUsualKeys } from './encoder/nomic-keys.ts';
import type { TextPart } from './text-part.ts';
import { singleFileWeights } from './weights-manifest.ts';

/** The prefix of a decoder's tensors in files that also hold a head. */
const BODY = 'model.';

/**
 * An encoder as the engine knows it. Decoders that were saved without a head get the names that they have with one, and the
 * matrices behind the pooling are `dense.INDEX.linear`.
 * @throws LlmHostError MODEL_BROKEN, MODEL_UNSUPPORTED
 */
export function encoderPart({ config, weights }: TextPart, { dense }: EncoderConfig): TextPart {
  const bare =
    !isEncoderType(config.model_type) && !weights.tensors.some(({ name }) => name.startsWith(BODY));
  return {
    config: bare ? withBodyNames(config) : withUsualKeys(config),
    weights: dense.reduce(withDense, bare ? withBody(weights) : withoutHead(weights)),
  };
}

/** For the engine. */
export function encoderSpec({ pooling, dense }: EncoderConfig): EncoderSpec {
  return { pooling, dense: dense.map(({ out, bias, activation }) => ({ out, bias, activation })) };
}

/** Their head is not used. */
function withoutHead({ files, tensors }: WeightFiles): WeightFiles {
  return { files, tensors: tensors.filter(({ name }) => !name.startsWith('lm_head.')) };
}

function withBody({ files, tensors }: WeightFiles): WeightFiles {
  return { files, tensors: tensors.map(tensor => ({ ...tensor, name: BODY + tensor.name })) };
}

/** Quantization by module names its modules too. */
function withBodyNames(config: JsonObject): JsonObject {
  const { quantization } = config;
  if (!isObject(quantization)) return config;
  const entries = Object.entries(quantization).map(([key, value]) => [
    isObject(value) ? BODY + key : key,
    value,
  ]);
  return { ...config, quantization: Object.fromEntries(entries) };
}

function withDense({ files, tensors }: WeightFiles, { file }: DenseModule, index: number): WeightFiles {
  const own = singleFileWeights(file).tensors.map(
    (tensor): TensorEntry => ({ ...tensor, name: `dense.${index}.${tensor.name}`, file: files.length }),
  );
  return { files: [...files, file], tensors: [...tensors, ...own] };
}
