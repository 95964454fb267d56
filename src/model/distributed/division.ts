import type { Share } from './shares.ts';
import type { Wire } from './wire.ts';

/** One way to divide a model. */
export interface Division {
  readonly split: 'tensor' | 'pipeline';
  readonly shares: readonly Share[];
  readonly wire: Wire;
  readonly tokensPerSecond: number;
  readonly fits: boolean;
}

/** The fastest machine that holds the model by itself. */
export interface Alone {
  readonly name: string;
  readonly tokensPerSecond: number;
}
