import type { LoadedModel } from '../http/serve-context.ts';
import type { OtherModel } from '../http/served-models.ts';
import type { TurnLimits } from './room-turn.ts';

/** The options with which a pool opens its models. */
export interface OtherModels {
  /** As of now: the cache changes. */
  list(): readonly OtherModel[];
  /** Downloads what is missing of its files. `signal`: nobody waits for it any longer. Default: they are all here. */
  fetch?(id: string, signal: AbortSignal): Promise<void>;
  /**
   * `onFits`: there is room, and it is being loaded.
   * @throws LlmHostError; OUT_OF_MEMORY: it does not fit beside those that are loaded
   */
  open(id: string, onFits: () => void): Promise<LoadedModel & { close(): Promise<void> }>;
}

export interface PoolLimits extends TurnLimits {
  /** Models loaded at once, beside the first. At least 1. */
  readonly maxLoaded: number;
  /** Milliseconds without a request after which a model is closed. */
  readonly keepAliveMs: number;
  /** Milliseconds that a model waits for others to free memory. */
  readonly waitMs: number;
  /** Requests that wait for models. */
  readonly maxWaiting: number;
}

export const POOL_LIMITS: PoolLimits = {
  maxLoaded: 2,
  keepAliveMs: 300_000,
  waitMs: 120_000,
  maxWaiting: 64,
  patienceMs: 3000,
  mostHeldMs: 30_000,
};

export interface PoolOptions extends Partial<PoolLimits> {
  /** Where the first model is on the Hub; undefined: it is no model of the Hub. */
  readonly firstHub?: OtherModel['hub'];
  /** Repositories whose files are in use for as long as the server runs. */
  readonly usedRepos?: readonly string[];
  /** A model could not be closed; its memory may not be free. */
  readonly onCloseFailed?: (id: string, error: unknown) => void;
}
