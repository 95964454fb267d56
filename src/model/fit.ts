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
  /** States of recurrent layers, however long the context is. */
  readonly stateBytes: number;
  /** Tokens. */
  readonly contextLength: number;
  /** Predicted by `workingSet`. */
  readonly workingBytes: number;
  /** For the conversations of a server together, if that is more than one of them takes. */
  readonly cacheBytes?: number | undefined;
  /** The need with --quantize 4; undefined if the model cannot be quantized so while loading. */
  readonly quantized?: MemoryNeed | undefined;
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
  /** The memory that a process can take without swapping, as the system reports it. */
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

/** Free memory of this machine. @param device see `memoryForModel` */
export function availableMemory(device = loadAddon().usableMemory()): number {
  const { platform } = process;
  return memoryForModel(device, { platform, total: totalmem(), available: process.availableMemory() });
}

/**
 * -> bytes that are left for the KV caches of all conversations, with a draft model for those of each model. Throws
 * OUT_OF_MEMORY, with the numbers and what would fit, before anything is loaded.
 * @param draft of the draft model that is loaded beside
 */
export function checkFit(need: MemoryNeed, available: number, draft?: MemoryNeed): number {
  const needs = draft ? [need, draft] : [need];
  const total = totalOf(needs);
  if (total <= available) return roomForCaches(needs, available);
  const [kv, one] = [sum(needs, kvBytes), sum(needs, oneConversation)];
  const parts = [
    `weights ${size(sum(needs, of => of.weightBytes))}`,
    draft || kv > one ? `KV caches ${size(kv)}` : `KV cache for ${need.contextLength} tokens ${size(kv)}`,
    `working set ${size(sum(needs, of => of.workingBytes))}`,
  ];
  const who = draft
    ? 'Not enough memory: the model and its draft model need'
    : 'Not enough memory: the model needs';
  const message = `${who} ${size(total)} (${parts.join(', ')}), but only ${size(available)} is available`;
  throw new LlmHostError('OUT_OF_MEMORY', message, { hint: advice(needs, available) });
}

function sum(needs: readonly MemoryNeed[], of: (need: MemoryNeed) => number): number {
  return needs.reduce((bytes, need) => bytes + of(need), 0);
}

const oneConversation = (need: MemoryNeed): number =>
  need.kvBytesPerToken * need.contextLength + need.stateBytes;
const kvBytes = (need: MemoryNeed): number => Math.max(oneConversation(need), need.cacheBytes ?? 0);
const withoutCaches = (need: MemoryNeed): number => need.weightBytes + need.workingBytes;

function totalOf(needs: readonly MemoryNeed[]): number {
  return sum(needs, need => withoutCaches(need) + kvBytes(need));
}

/** Bytes for the caches of each model. */
function roomForCaches(needs: readonly MemoryNeed[], available: number): number {
  const free = available - sum(needs, withoutCaches);
  return needs.length === 1 ? free : Math.min(free / 2, free - Math.max(...needs.map(oneConversation)));
}

function advice(needs: readonly MemoryNeed[], available: number): string {
  const [{ quantized }, ...others] = needs as [MemoryNeed, ...MemoryNeed[]];
  const smaller = smallerCaches(needs, available);
  const ways = smaller === undefined ? [] : [smaller];
  if (quantized) {
    const then = [quantized, ...others];
    const also = ways.length > 0 ? undefined : smallerCaches(then, available);
    if (totalOf(then) <= available) ways.unshift('--quantize 4');
    else if (also !== undefined) ways.push(`--quantize 4 with ${also}`);
  }
  if (ways.length > 0) return `${ways.join(' or ')} would fit.`;
  return others.length > 0
    ? 'Choose a smaller draft model, or none.'
    : 'The weights alone do not fit. Choose a smaller or a quantized model.';
}

/** The option that makes the caches small enough, if one does. */
function smallerCaches(needs: readonly MemoryNeed[], available: number): string | undefined {
  const free = available - sum(needs, withoutCaches);
  const room = roomForCaches(needs, available);
  if (needs.some(need => (need.cacheBytes ?? 0) > room) && sum(needs, oneConversation) <= free)
    return `--cache-mb ${Math.floor(room / 2 ** 20)}`;
  if (sum(needs, need => need.kvBytesPerToken) === 0) return undefined;
  const longest = Math.max(...needs.map(need => need.contextLength));
  for (let context = 2 ** Math.floor(Math.log2(longest)); context >= SMALLEST_CONTEXT; context /= 2) {
    const shorter = (need: MemoryNeed) =>
      oneConversation({ ...need, contextLength: Math.min(context, need.contextLength) });
    if (sum(needs, shorter) <= free) return `--context ${context}`;
  }
  return undefined;
}

function size(bytes: number): string {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.ceil(bytes / 1e6)} MB`;
}
