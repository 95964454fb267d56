import { probeTemplate, type TemplateCapability } from '../chat/capability.ts';
import { compileTemplate } from '../chat/template.ts';
import { loadAddon } from '../native/load-addon.ts';
import { chooseCallFormat } from '../parse/choose-call-format.ts';
import { formatOfTemplate } from '../parse/formats/table.ts';
import { modelContext } from './context-length.ts';
import type { EncoderConfig } from './encoder/encoder-config.ts';
import { availableMemory, kvBytesPerToken, kvElementBytes } from './fit.ts';
import { hasTokens, type ReadModel, type ReadModelOptions, readModel } from './load-model.ts';
import { stateBytes } from './memory/recurrent-states.ts';
import { workingSet } from './memory/working-set.ts';
import { type MemoryBandwidth, memoryBandwidth } from './memory-bandwidth.ts';
import { localSource } from './model-source.ts';
import { layerCount } from './weights/layer-types.ts';
import { bytesPerDecodedToken, type Loading, loadedBytes } from './weights/loaded-bytes.ts';
import { quantizationOf } from './weights/quantization.ts';

/** A model as its headers and text files describe it. Byte counts are for memory on this machine. */
export interface Inspection {
  readonly name: string;
  readonly family: string;
  readonly parameters: number;
  /** Such as `affine, 4 bits, groups of 64`, or the tensors' types. */
  readonly quantization: string;
  readonly layers: number | undefined;
  /** The model's own maximum, in tokens. */
  readonly contextLength: number | undefined;
  /** undefined: a base model without a chat template. */
  readonly template: TemplateCapability | undefined;
  /** Id of the tool-call format; undefined: the prompt protocol is used. */
  readonly toolFormat: string | undefined;
  /** Set for a model that turns texts into vectors, or ranks them, and generates nothing. */
  readonly encoder: EncoderConfig | undefined;
  readonly memory: {
    readonly storedBytes: number;
    readonly weightBytes: number;
    /** Tokens that `kvBytes` is for; recurrent layers' states are in it too. */
    readonly contextLength: number;
    readonly kvBytes: number;
    readonly workingSetBytes: number;
    readonly totalBytes: number;
    readonly availableBytes: number;
    readonly fits: boolean;
  };
  /** An upper bound for one reply at a time: bandwidth over bytes read per token. */
  readonly prediction: { readonly tokensPerSecond: number; readonly bandwidth: MemoryBandwidth };
}

/** Tokens assumed if no context is given and the model allows more. */
const USUAL_CONTEXT = 4096;

/** A model with what its description was made from. */
export interface InspectedModel {
  readonly inspection: Inspection;
  readonly read: ReadModel;
  readonly loading: Loading;
}

/** Reads headers, config and template, not weights. Throws as `readModel` does, except OUT_OF_MEMORY. */
export function inspectModel(source: string, options: Omit<ReadModelOptions, 'anyMemory'>): InspectedModel {
  const read = readModel(localSource(source, options), { ...options, anyMemory: true });
  const { config, weights, quantize } = read.spec;
  const template = read.toolTemplate ?? read.chatTemplate;
  const bandwidth = memoryBandwidth();
  const loading = {
    layout: loadAddon().weightLayout(read.spec.exact === true),
    quantize: quantize as ReturnType<typeof quantizationOf>,
    encoder: read.encoder !== undefined,
  };
  const perToken = bytesPerDecodedToken(weights, config, loading);
  const inspection: Inspection = {
    name: read.name,
    family: String(config.model_type),
    parameters: read.parameters,
    quantization: describeQuantization(read),
    layers: layerCount(config),
    contextLength: modelContext(config),
    template: template === undefined ? undefined : probeTemplate(compileTemplate(template)),
    toolFormat: template === undefined ? undefined : toolFormatOf(read.tokenizerConfig ?? {}, template),
    encoder: read.encoder,
    memory: memoryOf(read, loading, options),
    prediction: { tokensPerSecond: bandwidth.bytesPerSecond / perToken, bandwidth },
  };
  return { inspection, read, loading };
}

/** The table row that parses calls, or a note that the model brings its own response template. */
function toolFormatOf(tokenizerConfig: Readonly<Record<string, unknown>>, template: string) {
  const { responseTemplate, format } = chooseCallFormat(tokenizerConfig, template, []);
  return responseTemplate ? 'response_template' : (format ?? formatOfTemplate(template))?.id;
}

function memoryOf(
  read: ReadModel,
  loading: Loading,
  { contextLength: wanted = 0, kvBits }: Pick<ReadModelOptions, 'contextLength' | 'kvBits'>,
) {
  const { config, weights } = read.spec;
  const own = modelContext(config) ?? USUAL_CONTEXT;
  const usual = loading.encoder ? read.spec.contextLength || own : Math.min(own, USUAL_CONTEXT);
  const contextLength = wanted > 0 ? wanted : usual;
  const weightBytes = loadedBytes(weights, config, loading);
  const kvBytes = loading.encoder
    ? 0
    : kvBytesPerToken(config, kvElementBytes(loading.layout, kvBits ?? 0)) * contextLength +
      stateBytes(config);
  const workingSetBytes = workingSet({
    config,
    weights,
    weightBytes,
    contextLength,
    loading,
    tokenizer: hasTokens(read),
    adapters: read.spec.adapters,
  });
  const totalBytes = weightBytes + kvBytes + workingSetBytes;
  const availableBytes = availableMemory();
  return {
    storedBytes: read.weightBytes,
    weightBytes,
    contextLength,
    kvBytes,
    workingSetBytes,
    totalBytes,
    availableBytes,
    fits: totalBytes <= availableBytes,
  };
}

function describeQuantization({ configFile, spec }: ReadModel): string {
  const words = ({ mode, bits, groupSize }: { mode: string; bits: number; groupSize: number }) =>
    `${mode}, ${bits} bits, groups of ${groupSize}`;
  if (spec.quantize) return `${words(spec.quantize)}, done while loading`;
  const present = quantizationOf(configFile, spec.config);
  if (present) return words(present);
  const bytes = new Map<string, number>();
  for (const tensor of spec.weights.tensors) {
    bytes.set(tensor.dtype, (bytes.get(tensor.dtype) ?? 0) + tensor.bytes);
  }
  return [...bytes.entries()]
    .sort((a, b) => b[1] - a[1])
    .map(([dtype]) => dtype)
    .join(', ');
}
