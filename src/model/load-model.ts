import { join, resolve } from 'node:path';
import { LlmHostError } from '../errors.ts';
import { loadAddon } from '../native/load-addon.ts';
import type { AdapterSpec, LoadSpec, WeightFiles } from '../native/load-types.ts';
import type { JsonObject } from '../text/files/json-file.ts';
import { readAdapter } from './adapter.ts';
import { readModelTexts } from './config.ts';
import { checkContext, modelContext } from './context-length.ts';
import { demoFiles } from './demo-model.ts';
import { type EncoderConfig, readEncoderConfig } from './encoder/encoder-config.ts';
import { encoderPart, encoderSpec } from './encoder-part.ts';
import { availableMemory, checkFit, kvBytesPerToken, kvElementBytes, type MemoryNeed } from './fit.ts';
import type { GgufMetadata } from './gguf/gguf.ts';
import { checkKvBits } from './kv-bits.ts';
import { stateBytes } from './memory/recurrent-states.ts';
import { type Work, workingSet } from './memory/working-set.ts';
import { filesOf, type LocalSource, type LocateOptions } from './model-source.ts';
import { ggufStopIds, stopIdsOf } from './stop-ids.ts';
import { textPart } from './text-part.ts';
import { isFloat32Throughout } from './weights/float32-weights.ts';
import { loadedBytes } from './weights/loaded-bytes.ts';
import { countParameters, storedBytes } from './weights/parameters.ts';
import { parseQuantize, type Quantization, quantizationOf } from './weights/quantization.ts';
import { folderWeights, ggufWeights } from './weights-manifest.ts';

/** The options that decide how a model is held in memory. */
export interface MemoryOptions {
  /** Tokens; 0 (default): the model's maximum. */
  readonly contextLength?: number | undefined;
  /** A model with a smaller maximum keeps that, instead of being refused. Default false. */
  readonly contextIsLimit?: boolean | undefined;
  /** Quantize keys and values to this many bits; head sizes must be a multiple of 32. Default: off. */
  readonly kvBits?: 4 | 8 | undefined;
  /**
   * CPU only: multiply weights by float32 activations, not by ones rounded to a pair of int8 or to bfloat16. Several
   * times slower. Default: the variable LLM_HOST_EXACT (1 or 0), else true for a pure float32 checkpoint that is not
   * quantized while loading.
   */
  readonly exact?: boolean | undefined;
  /** Folder of a LoRA adapter in MLX or PEFT layout, or several to add up; replaces the demo's own. */
  readonly adapter?: string | readonly string[] | undefined;
  /**
   * Quantize float matrices while loading: 8, 6, 5, 4, 3 or 2 (bits, affine in groups of 64), mxfp4, nvfp4, mxfp8.
   */
  readonly quantize?: string | undefined;
  /**
   * Bytes for the KV caches of several conversations; `auto`: four times the weights, but 256 MB to 1 GB, and no more
   * than fits. Default: one conversation, of any size.
   */
  readonly cacheBytes?: number | 'auto' | undefined;
}

export interface ReadModelOptions extends MemoryOptions, LocateOptions {
  /** Do not check whether the model fits into memory. */
  readonly anyMemory?: boolean;
  /** The need of the larger model that this one drafts for: the two are checked together. */
  readonly beside?: MemoryNeed | undefined;
}

/** A model that was found and checked, its weights not loaded yet. */
export interface ReadModel {
  readonly name: string;
  /** Where config.json is; undefined for a GGUF file. */
  readonly folder: string | undefined;
  /** The file that messages about the configuration name: config.json, or the GGUF file. */
  readonly configFile: string;
  readonly spec: LoadSpec;
  /** tokenizer.json and tokenizer_config.json, parsed; undefined if the model has none. */
  readonly tokenizer: JsonObject | undefined;
  readonly tokenizerConfig: JsonObject | undefined;
  /** A GGUF file's metadata, which hold its tokenizer. */
  readonly ggufMetadata: GgufMetadata | undefined;
  /** Jinja source; undefined for a base model. */
  readonly chatTemplate: string | undefined;
  /** The variant for conversations with tools, if the model has one. */
  readonly toolTemplate: string | undefined;
  readonly stopIds: readonly number[];
  /** Set for a model that turns texts into vectors and generates none. */
  readonly encoder?: EncoderConfig | undefined;
  /** Weights before quantization, without the adapter's. */
  readonly parameters: number;
  /** Bytes in the files, without the adapter's. */
  readonly weightBytes: number;
  /** Bytes of memory that are left for KV caches. */
  readonly bytesLeft: number;
  /** undefined if nobody asked whether it fits. */
  readonly need: MemoryNeed | undefined;
}

type Parts = Omit<ReadModel, 'spec' | 'parameters' | 'weightBytes' | 'bytesLeft' | 'need'> & {
  readonly config: JsonObject;
  readonly weights: WeightFiles;
  readonly gguf: boolean;
  readonly normShift?: number | undefined;
  readonly adapter?: string | undefined;
};

/**
 * Reads a model's text files and headers, and refuses what cannot work. Throws MODEL_NOT_FOUND, MODEL_BROKEN,
 * MODEL_UNSUPPORTED, OUT_OF_MEMORY, ENGINE_UNAVAILABLE, or USAGE for a context beyond the model's.
 */
export function readModel(source: LocalSource, options: ReadModelOptions): ReadModel {
  const parts = readParts(source, options);
  const { config: wholeConfig, weights: allWeights, gguf, normShift, adapter: ownAdapter, ...rest } = parts;
  const { encoder } = rest;
  const text = textPart(rest.configFile, wholeConfig, allWeights);
  const { config, weights } = encoder ? encoderPart(text, encoder) : text;
  const quantize = quantizationToDo(rest, config, options.quantize);
  checkKvBits(rest.name, config, options.kvBits);
  // Texts are read as far as an encoder goes.
  const isLimit = encoder !== undefined || options.contextIsLimit === true;
  const { contextLength: asked = 0 } = options;
  const beyond = isLimit && asked > (modelContext(config) ?? Infinity);
  const wanted = beyond ? 0 : asked;
  const contextLength = checkContext(encoder && wanted === 0 ? textTokens(encoder, config) : wanted, config);
  const exactWith = (rounded: boolean) =>
    options.exact ?? exactByDefault(options.env.LLM_HOST_EXACT, weights, rounded || !!encoder);
  const exact = exactWith(quantize !== undefined);
  const given = typeof options.adapter === 'string' ? [options.adapter] : options.adapter;
  const folders = given?.map(folder => resolve(options.cwd, folder)) ?? (ownAdapter ? [ownAdapter] : []);
  const adapters = folders.map(folder => readAdapter(folder, weights, text.wrapped));
  const work = { weights, config, contextLength, adapters, tokenizer: hasTokens(rest) };
  const needWith = (wanted: Quantization | undefined) => {
    const layout = loadAddon().weightLayout(exactWith(wanted !== undefined));
    const loading = { layout, quantize: wanted, encoder: encoder !== undefined };
    return memoryNeed({ ...work, loading }, options);
  };
  const smaller = smallerQuantization(rest, config, quantize);
  const need = options.anyMemory
    ? undefined
    : { ...needWith(quantize), quantized: smaller && needWith(smaller) };
  return {
    ...rest,
    spec: {
      config,
      weights,
      encoder: encoder && encoderSpec(encoder),
      gguf,
      contextLength: encoder ? contextLength : wanted,
      kvBits: options.kvBits ?? 0,
      exact,
      adapters,
      adaptersOptional: !encoder && areOptional(adapters),
      normShift,
      quantize,
    },
    parameters: countParameters(weights, config),
    weightBytes: storedBytes(weights),
    bytesLeft: need ? bytesLeftBy(need, options.beside) : Number.POSITIVE_INFINITY,
    need,
  };
}

/** True if every adapter applies only on request; several apply together or not at all. */
function areOptional(adapters: readonly AdapterSpec[]): boolean {
  return adapters.length > 0 && adapters.every(adapter => adapter.onlyWithTools);
}

/** Tokens of a text for an encoder. */
function textTokens({ maxTokens }: EncoderConfig, config: JsonObject): number {
  return Math.min(maxTokens ?? Number.POSITIVE_INFINITY, modelContext(config) ?? 0);
}

/**
 * Weights quantized while loading are rounded anyway, so computing them in float32 gains nothing; an encoder's vectors
 * hardly turn when its weights are rounded.
 */
function exactByDefault(wanted: string | undefined, weights: WeightFiles, rounded: boolean): boolean {
  if (wanted === '1' || wanted === '0') return wanted === '1';
  return !rounded && isFloat32Throughout(weights);
}

/** Refuses unsupported quantizations, and quantizing what is quantized already. */
function quantizationToDo(
  { name, folder, configFile }: Pick<ReadModel, 'name' | 'folder' | 'configFile'>,
  config: JsonObject,
  wanted: string | undefined,
): Quantization | undefined {
  const present = quantizationOf(configFile, config);
  const quantize = wanted === undefined ? undefined : parseQuantize(wanted);
  if (!quantize || (!present && folder !== undefined)) return quantize;
  const why = present ? `already quantized (${present.mode}, ${present.bits} bits)` : 'a GGUF file';
  throw new LlmHostError('USAGE', `--quantize: ${name} is ${why}`, {
    hint: 'Quantize the original model in bf16, f16 or f32.',
  });
}

/** The need after --quantize 4, if that is possible and makes the model smaller. */
function smallerQuantization(
  { folder, configFile }: Pick<ReadModel, 'folder' | 'configFile'>,
  config: JsonObject,
  { bits }: Pick<Quantization, 'bits'> = { bits: 32 },
): Quantization | undefined {
  const possible = folder !== undefined && !quantizationOf(configFile, config);
  return possible && bits > 4 ? parseQuantize('4') : undefined;
}

function readParts(source: LocalSource, options: LocateOptions): Parts {
  const files = filesOf(source, options);
  if (files.kind === 'folder') return folderParts(files.name, files.path);
  if (files.kind === 'gguf') return ggufParts(files.name, files.path);
  const demo = demoFiles(options.env);
  const parts = ggufParts(files.name, demo.weights);
  return { ...parts, chatTemplate: demo.chatTemplate, toolTemplate: undefined, adapter: demo.adapter };
}

function folderParts(name: string, folder: string): Parts {
  const texts = readModelTexts(folder);
  const { config, tokenizer, tokenizerConfig, chatTemplate, toolTemplate } = texts;
  const stopIds = stopIdsOf(texts);
  const weights = folderWeights(folder);
  return {
    name,
    folder,
    configFile: join(folder, 'config.json'),
    config,
    weights,
    tokenizer,
    tokenizerConfig,
    chatTemplate,
    toolTemplate,
    stopIds,
    encoder: readEncoderConfig(folder, config, tokenizerConfig),
    gguf: false,
    ggufMetadata: undefined,
  };
}

function ggufParts(name: string, path: string): Parts {
  const { model, weights } = ggufWeights(path);
  const template = (key: string): string | undefined => {
    const value = model.metadata.get(key);
    return typeof value === 'string' ? value : undefined;
  };
  return {
    name,
    folder: undefined,
    configFile: path,
    config: model.config,
    weights,
    gguf: model.permuted,
    normShift: model.normShift === 0 ? undefined : model.normShift,
    tokenizer: undefined,
    tokenizerConfig: undefined,
    ggufMetadata: model.metadata,
    chatTemplate: template('tokenizer.chat_template'),
    toolTemplate: template('tokenizer.chat_template.tool_use'),
    stopIds: ggufStopIds(model.metadata),
  };
}

/** Whether texts become tokens: a model for measuring may have no tokenizer. */
export function hasTokens({
  tokenizer,
  ggufMetadata,
}: Pick<ReadModel, 'tokenizer' | 'ggufMetadata'>): boolean {
  return tokenizer !== undefined || ggufMetadata?.has('tokenizer.ggml.tokens') === true;
}

function memoryNeed(
  work: Omit<Work, 'weightBytes'>,
  { kvBits, cacheBytes }: Pick<ReadModelOptions, 'kvBits' | 'cacheBytes'>,
): MemoryNeed {
  const { weights, config, loading, contextLength } = work;
  const weightBytes = loadedBytes(weights, config, loading);
  return {
    weightBytes,
    kvBytesPerToken: loading.encoder
      ? 0
      : kvBytesPerToken(config, kvElementBytes(loading.layout, kvBits ?? 0)),
    stateBytes: stateBytes(config),
    workingBytes: workingSet({ ...work, weightBytes }),
    contextLength,
    cacheBytes: loading.encoder || cacheBytes === 'auto' ? undefined : cacheBytes,
  };
}

/** Throws OUT_OF_MEMORY. */
function bytesLeftBy(need: MemoryNeed, beside: MemoryNeed | undefined): number {
  const available = availableMemory();
  return beside ? checkFit(beside, available, need) : checkFit(need, available);
}
