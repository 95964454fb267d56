import type { Connection } from '../server/connection.ts';
import type { ManagedServer } from '../server/managed-server.ts';
import type { CallResult } from '../server/wire-schemas.ts';
import type { CallOptions } from '../tool-host.ts';
import { callServer } from './call.ts';

/** Longer than a server may say. */
const MAX_FRESH_MS = 3_600_000;
const MAX_KEPT = 50;
/** UTF-16 units of a result that is kept. */
const MAX_CHARS = 1_000_000;

interface Kept {
  readonly result: CallResult;
  readonly until: number;
}

/**
 * Reads resources, and not again while their server calls them fresh (`ttlMs`). What is kept is of one connection, so of one
 * login, and is never written to a file: that is as narrow as `cacheScope` can ask for.
 */
export class ResourceReads {
  readonly #kept = new WeakMap<Connection, Map<string, Kept>>();

  /** Throws LlmHostError TOOL_TIMEOUT, CANCELLED or TOOL_FAILED. */
  async read(server: ManagedServer, uri: string, options: CallOptions): Promise<CallResult> {
    let asked = false;
    return await callServer(
      {
        server,
        subject: `Resource '${uri}'`,
        action: `the reading of '${uri}'`,
        run: async (connection, hooks) => {
          const kept = this.#kept.get(connection)?.get(uri);
          if (kept !== undefined && performance.now() < kept.until) return kept.result;
          const onWaiting = (waiting: boolean): void => {
            asked = true;
            hooks.onWaiting?.(waiting);
          };
          const read = await connection.readResource(uri, { ...hooks, onWaiting });
          // One that depends on what the user answered is not for the next time.
          if (!asked) this.#keep(connection, uri, read);
          return read;
        },
      },
      options,
    );
  }

  /** It has changed, or its server's list has. */
  forget(connection: Connection, uri?: string): void {
    if (uri === undefined) this.#kept.delete(connection);
    else this.#kept.get(connection)?.delete(uri);
  }

  #keep(connection: Connection, uri: string, result: CallResult): void {
    const { ttlMs } = result;
    if (typeof ttlMs !== 'number' || !(ttlMs > 0) || JSON.stringify(result).length > MAX_CHARS) return;
    const kept = this.#kept.get(connection) ?? new Map<string, Kept>();
    this.#kept.set(connection, kept);
    kept.delete(uri);
    kept.set(uri, { result, until: performance.now() + Math.min(ttlMs, MAX_FRESH_MS) });
    const oldest = kept.size > MAX_KEPT ? kept.keys().next().value : undefined;
    if (oldest !== undefined) kept.delete(oldest);
  }
}
