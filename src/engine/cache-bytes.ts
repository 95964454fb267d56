const FEWEST = 2 ** 28;
const MOST = 2 ** 30;

/**
 * Bytes for the KV caches of a server's conversations: a small model's server stays small, and a large model's does not
 * hold every conversation that it ever had. `bytesLeft`: beside the weights.
 */
export function cacheBytesFor(weightBytes: number, bytesLeft: number): number {
  return Math.floor(Math.min(Math.max(4 * weightBytes, FEWEST), MOST, bytesLeft));
}
