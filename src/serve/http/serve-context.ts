import type { PageFiles } from '../page/page-routes.ts';
import type { AccessRules } from './access/access.ts';
import type { PendingApprovals } from './approvals.ts';
import type { GenerationQueue } from './generation-queue.ts';
import type { ServeMetrics } from './metrics.ts';
import type { ModelStore } from './model-store.ts';
import type { StreamLimits } from './response-stream.ts';
import type { LoadedModel, ServedModels } from './served-models.ts';
import type { ToolsPolicy } from './tools-policy.ts';

export interface ServeLimits extends StreamLimits {
  /** Milliseconds per request, including waiting and tools. */
  readonly requestMs: number;
  /** Milliseconds of silence before a stream sends a keep-alive. */
  readonly keepAliveMs: number;
  /** Bytes of a request body. */
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

/** A line of the log per request. */
export interface RequestRecord {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  /** The name of its key. */
  readonly key?: string | undefined;
  /** An unexpected error. */
  readonly problem?: string | undefined;
  /** The client left before the end. */
  readonly aborted: boolean;
}

/** The state that all routes share for one model: the first, or the one that a request names. */
export interface ServeContext extends LoadedModel {
  readonly models: ServedModels;
  /** Undefined: clients may not manage models. */
  readonly modelStore?: ModelStore | undefined;
  readonly queue: GenerationQueue;
  readonly metrics: ServeMetrics;
  readonly access: AccessRules;
  readonly approvals: PendingApprovals;
  /** The chat page; undefined: none. */
  readonly page: PageFiles | undefined;
  /** For requests that do not say whose tools they want. */
  readonly toolsPolicy: ToolsPolicy;
  readonly limits: ServeLimits;
  /** Aborts when running turns have to end. */
  readonly stopping: AbortSignal;
  readonly onRequest: (record: RequestRecord) => void;
}
