import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { PEERS, type PeerModels, type PeerName } from '../../bench/peers.ts';
import { LlmHostError, messageOf } from '../../errors.ts';
import { demoWeightsPath } from '../../model/demo-model.ts';
import { filesOf, localSource } from '../../model/model-source.ts';
import type { NumberRange } from '../../text/number-range.ts';
import { checkNumber } from '../options/check-options.ts';
import { numberOrText } from '../options/option-kinds.ts';

export interface BenchArguments {
  readonly model: string;
  /** Comma-separated numbers. Default 512; with `clients` one, 200. */
  readonly promptTokens?: string | undefined;
  /** Default 128; with `clients` 64. */
  readonly generate?: number | undefined;
  /** Default 5; with `clients` the requests of each, 4. */
  readonly runs?: number | undefined;
  /** Comma-separated numbers of clients at once, of a server. */
  readonly clients?: string | undefined;
  readonly threads?: number | undefined;
  readonly quantize?: string | undefined;
  readonly kvBits?: 4 | 8 | undefined;
  readonly adapter?: readonly string[] | undefined;
  /** Comma-separated numbers. */
  readonly turns?: string | undefined;
  readonly graph?: boolean | undefined;
  /** Comma-separated names. */
  readonly compare?: string | undefined;
  readonly mlxLmModel?: string | undefined;
  readonly llamaCppModel?: string | undefined;
  readonly json?: boolean | undefined;
  readonly html?: string | undefined;
}

const WHOLE: NumberRange = { min: 1, max: 1_000_000, integer: true };

/** Throws LlmHostError USAGE. */
export function numbers(flag: string, text: string): number[] {
  return text.split(',').map(part => whole(flag, numberOrText(part) as number));
}

/** Throws LlmHostError USAGE. */
export function whole(flag: string, value: number): number {
  checkNumber(flag, value, WHOLE);
  return value;
}

/** Throws LlmHostError USAGE. */
export function peerNames(text: string | undefined): PeerName[] {
  const known: readonly string[] = PEERS;
  return (text?.split(',') ?? []).map(name => {
    if (known.includes(name)) return name as PeerName;
    throw new LlmHostError('USAGE', `--compare takes ${PEERS.join(' and ')}, not '${name}'`);
  });
}

/** How the model is loaded. Peers do not load the demo's adapter, so it is compared without. */
export function loadOf({ quantize, kvBits, adapter, compare }: BenchArguments) {
  return { quantize, kvBits, adapter: adapter ?? (compare !== undefined ? [] : undefined) };
}

/** The weights that peers load: the model itself if they can read it, or what the user names. */
export function peerModels(args: BenchArguments): PeerModels {
  const where = { cwd: process.cwd(), env: process.env };
  const location = filesOf(localSource(args.model, where), where);
  const named = (path: string | undefined) => (path === undefined ? undefined : resolve(where.cwd, path));
  const gguf = location.kind === 'demo' ? demoWeightsPath(where.env) : undefined;
  return {
    gguf: named(args.llamaCppModel) ?? (location.kind === 'gguf' ? location.path : gguf),
    folder:
      named(args.mlxLmModel) ??
      (location.kind === 'folder' && args.quantize === undefined ? location.path : undefined),
  };
}

/** Variables that change how this program or a peer computes. A list, since others that begin like these hold keys. */
export const COMPUTING_VARIABLES: readonly string[] = [
  'LLM_HOST_ADDON',
  'LLM_HOST_BENCH_LLAMA_KV',
  'LLM_HOST_COMPILE',
  'LLM_HOST_DEVICE_POLICY',
  'LLM_HOST_EXACT',
  'LLM_HOST_INT8',
  'LLM_HOST_SIMD',
  'LLM_HOST_THREADS',
  'LLM_HOST_WIRED',
];

/** The variables of `COMPUTING_VARIABLES` that are set, for reports. */
export function ownEnvironment(env: NodeJS.ProcessEnv): Record<string, string> {
  const own = COMPUTING_VARIABLES.flatMap(name => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(own);
}

export function writeHtml(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (error) {
    throw new LlmHostError('UNEXPECTED', `the report could not be written: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
