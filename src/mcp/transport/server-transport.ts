import type { Transport } from '@modelcontextprotocol/client';

/** A connection to one server, and what is known about the other side. */
export interface ServerTransport extends Transport {
  /** Why the server is gone, such as `ended (signal SIGKILL)`; undefined while it is there. */
  readonly ending: string | undefined;
  /** The last lines of the server's stderr; empty where it has none. */
  readonly stderrTail: string;
  /** Process id of a server on this machine. */
  readonly pid: number | undefined;
  /** Resolves when the server is seen to be gone, or after a moment if it is not. */
  waitForEnd(): Promise<void>;
  /** Idempotent, never throws. Afterwards no process of the server is left. */
  close(): Promise<void>;
}
