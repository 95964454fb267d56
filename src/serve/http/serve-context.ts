import type { RequestTurns } from '../../agent/requests/request-turns.ts';
import type { ModelFacts } from '../../model/model-facts.ts';
import type { AccessRules } from './access.ts';
import type { GenerationQueue } from './generation-queue.ts';
import type { ServeMetrics } from './metrics.ts';
import type { StreamLimits } from './response-stream.ts';

/** The one model that is served, as the APIs describe it. */
export interface ServedModel extends ModelFacts {
  readonly id: string;
  /** Unix seconds at which it was loaded. */
  readonly created: number;
  /** Tokens. */
  readonly contextLength: number;
}

export interface ServeLimits extends StreamLimits {
  /** Milliseconds that one request may take, its waiting and its tools included. */
  readonly requestMs: number;
  /** Milliseconds of silence after which a stream gets a sign of life. */
  readonly keepAliveMs: number;
  /** Bytes of a request's body. */
  readonly maxBody: number;
  readonly maxConnections: number;
  /** Milliseconds for a request's head, and for all of it. */
  readonly headMs: number;
  readonly receiveMs: number;
}

export const DEFAULT_LIMITS: ServeLimits = {
  maxUnread: 4 * 1024 * 1024,
  stallMs: 30_000,
  requestMs: 600_000,
  keepAliveMs: 10_000,
  maxBody: 10 * 1024 * 1024,
  maxConnections: 4096,
  headMs: 10_000,
  receiveMs: 60_000,
};

/** One line of the log for each request. */
export interface RequestRecord {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  /** What nobody foresaw. */
  readonly problem?: string | undefined;
  /** The client left before the end. */
  readonly aborted: boolean;
}

/** What every route works with. */
export interface ServeContext {
  readonly model: ServedModel;
  readonly turns: RequestTurns;
  readonly queue: GenerationQueue;
  readonly metrics: ServeMetrics;
  readonly access: AccessRules;
  readonly limits: ServeLimits;
  /** Aborts when what still runs has to end. */
  readonly stopping: AbortSignal;
  readonly onRequest: (record: RequestRecord) => void;
}
