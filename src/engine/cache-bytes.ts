const FEWEST = 2 ** 28;
const MOST = 2 ** 30;

/**
 * Bytes for the KV caches of a server's conversations: a small model's server stays small, and a large model's does not
 * hold every conversation that it ever had.
 */
export function cacheBytesFor(weightBytes: number): number {
  return Math.min(Math.max(4 * weightBytes, FEWEST), MOST);
}
