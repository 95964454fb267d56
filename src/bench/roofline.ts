import { kvBytesPerToken, kvElementBytes } from '../model/fit.ts';
import type { ReadModel } from '../model/load-model.ts';
import { stateBytes } from '../model/memory/recurrent-states.ts';
import { bytesPerDecodedToken, loadedBytes } from '../model/weights/loaded-bytes.ts';
import type { Quantization } from '../model/weights/quantization.ts';
import { loadAddon } from '../native/load-addon.ts';
import { spreadOf } from './quantities.ts';
import type { EngineReport, RooflinePoint } from './report.ts';

export interface RooflineInput {
  readonly read: ReadModel;
  /** Bytes of weights, as the engine reports them. */
  readonly weightBytes: number;
  readonly generate: number;
  readonly kvBits: number;
  /** Bytes per second, in each run. */
  readonly bandwidths: readonly number[];
}

/**
 * Decoding reads every weight, all keys and values, and the states of recurrent layers once per token, so memory
 * bandwidth over these bytes bounds it: the best that was measured. How much of it was reached is reported run by run, since a
 * virtual machine gets another bandwidth from one run to the next. One point per prompt length.
 */
export function rooflinePoints(own: EngineReport, input: RooflineInput): RooflinePoint[] {
  const { read, generate, bandwidths } = input;
  const { config, weights } = read.spec;
  const loading = loadingOf(read);
  // Not read for a token: an untied embedding, and experts that are not chosen.
  const readShare = bytesPerDecodedToken(weights, config, loading) / loadedBytes(weights, config, loading);
  const weightBytes = input.weightBytes * readShare;
  const elementBytes = kvElementBytes(loading.layout, input.kvBits);
  return own.figures.flatMap(({ metric, at = 0, values, median }) => {
    if (metric !== 'generationTokensPerSecond') return [];
    const contextTokens = at + Math.round(generate / 2);
    const kvBytes = kvBytesPerToken(config, elementBytes) * contextTokens + stateBytes(config);
    const bytes = weightBytes + kvBytes;
    const shares = values.map((speed, run) => speed / ((bandwidths[run] as number) / bytes));
    return [
      {
        promptTokens: at,
        contextTokens,
        weightBytes,
        kvBytes,
        limitTokensPerSecond: Math.max(...bandwidths) / bytes,
        tokensPerSecond: median,
        share: spreadOf(shares).median,
      },
    ];
  });
}

/** Bytes of weights that a token reads. */
export function bytesPerToken(read: ReadModel): number {
  return bytesPerDecodedToken(read.spec.weights, read.spec.config, loadingOf(read));
}

function loadingOf({ spec }: ReadModel) {
  const layout = loadAddon().weightLayout(spec.exact === true);
  return { layout, quantize: spec.quantize as Quantization | undefined };
}
