/** How long the host waits for its servers, in milliseconds. Tests wait less. */
export interface McpLimits {
  /** For the answer to a ping, before a server counts as hung. */
  readonly pingMs: number;
  /** Before each restart of a crashed server; after the last one it stays failed. */
  readonly restartMs: readonly number[];
  /** For a process to exit once its stdin is closed. */
  readonly exitMs: number;
  /** For a process group to end after SIGTERM, and again after SIGKILL. */
  readonly signalMs: number;
}

export const MCP_LIMITS: McpLimits = {
  pingMs: 5000,
  restartMs: [500, 1000, 2000],
  exitMs: 500,
  signalMs: 500,
};
