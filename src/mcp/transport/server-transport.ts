import type { Transport } from '@modelcontextprotocol/client';

/** A connection to a server, and what is known about the other side. */
export interface ServerTransport extends Transport {
  /** Why the server is gone, such as `ended (signal SIGKILL)`; undefined while it runs and if this side closed it. */
  readonly ending: string | undefined;
  /** The last lines of the server's stderr; '' if it has none. */
  readonly stderrTail: string;
  /** The first line of its stdout that was no message; undefined: there is none, or no stdout. */
  readonly strayLine?: string | undefined;
  /** Process id of a local server. */
  readonly pid: number | undefined;
  /** Resolves when the server is seen to be gone, or after a moment if it is not. */
  waitForEnd(): Promise<void>;
  /** Idempotent, never throws. Leaves no process behind. */
  close(): Promise<void>;
}
