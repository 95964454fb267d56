import { totalmem } from 'node:os';
import { LlmHostError } from '../errors.ts';
import type { WeightLayout } from '../native/addon-types.ts';
import { loadAddon } from '../native/load-addon.ts';
import type { JsonObject } from '../text/files/json-file.ts';
import { numbersPerToken } from './cached-layers.ts';

export interface MemoryNeed {
  /** Bytes of the loaded weights. */
  readonly weightBytes: number;
  readonly kvBytesPerToken: number;
  /** Of recurrent layers, however long the context is. */
  readonly stateBytes: number;
  /** Tokens. */
  readonly contextLength: number;
  /** What `workingSet` foretells. */
  readonly workingBytes: number;
  /** For the conversations of a server together, if that is more than one of them takes. */
  readonly cacheBytes?: number | undefined;
}

/** Tokens; a smaller context is not worth suggesting. */
const SMALLEST_CONTEXT = 512;

/** Bytes per element of a key or value; if quantized, with the scale and bias of each group of 32. */
export function kvElementBytes(layout: WeightLayout, kvBits: number): number {
  const scaleBytes = layout === 'stored' ? 2 : 4;
  if (kvBits > 0) return kvBits / 8 + (2 * scaleBytes) / 32;
  return layout === 'float32' ? 4 : 2;
}

/** Bytes that the caches keep per token; 0 if the config is malformed. */
export function kvBytesPerToken(config: JsonObject, elementBytes: number): number {
  return numbersPerToken(config) * elementBytes;
}

/** Bytes. */
export interface SystemMemory {
  readonly platform: NodeJS.Platform;
  readonly total: number;
  /** What the system says that a process can take without swapping. */
  readonly available: number;
}

/**
 * Bytes for a model: those of the device if it says so, or what a process can take without swapping. macOS can free most
 * of what is in use.
 * @param device bytes; 0: it does not say
 */
export function memoryForModel(device: number, { platform, total, available }: SystemMemory): number {
  const system = platform === 'darwin' ? total * 0.75 : available;
  // An Apple GPU's memory is the system's; a graphics card has its own, which may be larger.
  if (device === 0) return system;
  return platform === 'darwin' ? Math.min(device, total) : device;
}

/** Those of this machine. @param device see `memoryForModel` */
export function availableMemory(device = loadAddon().usableMemory()): number {
  const { platform } = process;
  return memoryForModel(device, { platform, total: totalmem(), available: process.availableMemory() });
}

/**
 * -> bytes that are left for the KV caches of all conversations. Throws OUT_OF_MEMORY, with the numbers and what would fit,
 * before anything is loaded.
 */
export function checkFit(need: MemoryNeed, available: number): number {
  const { cacheBytes = 0 } = need;
  const one = need.kvBytesPerToken * need.contextLength + need.stateBytes;
  const kv = Math.max(one, cacheBytes);
  const total = need.weightBytes + kv + need.workingBytes;
  if (total <= available) return available - need.weightBytes - need.workingBytes;
  const parts = [
    `weights ${size(need.weightBytes)}`,
    kv > one ? `KV caches ${size(kv)}` : `KV cache for ${need.contextLength} tokens ${size(kv)}`,
    `working set ${size(need.workingBytes)}`,
  ];
  const message = `Not enough memory: the model needs ${size(total)} (${parts.join(', ')}), but only ${size(available)} is available`;
  throw new LlmHostError('OUT_OF_MEMORY', message, { hint: advice(need, available) });
}

function advice(need: MemoryNeed, available: number): string {
  const forCaches = available - need.weightBytes - need.workingBytes;
  const { cacheBytes = 0 } = need;
  if (cacheBytes > forCaches && need.kvBytesPerToken * need.contextLength + need.stateBytes <= forCaches)
    return `--cache-mb ${Math.floor(forCaches / 2 ** 20)} would fit.`;
  const left = forCaches - need.stateBytes;
  const fitting = need.kvBytesPerToken > 0 ? Math.floor(left / need.kvBytesPerToken) : 0;
  if (fitting < SMALLEST_CONTEXT)
    return 'The weights alone do not fit. Choose a smaller or a quantized model.';
  return `--context ${2 ** Math.floor(Math.log2(fitting))} would fit.`;
}

function size(bytes: number): string {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.ceil(bytes / 1e6)} MB`;
}
