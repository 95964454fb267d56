import type { Link } from './hosts.ts';

/** The traffic between machines for one token. */
export interface Wire {
  /** Sums over all machines, or hops from one to the next. */
  readonly messages: number;
  /** Sent by all machines together. */
  readonly bytes: number;
  readonly seconds: number;
  /** The part that more bandwidth would not save. */
  readonly latencySeconds: number;
}

/** The first machine's decisions, sent once a step. */
const DECISION_BYTES = 64;
const ID_BYTES = 4;

/**
 * Two sums of the activations in each layer, behind the heads and behind the feed-forward network; then the decision of
 * the first machine, and the token's id, which a ring fills up to a number for each machine. In a ring each machine passes
 * on its n-th part 2 (n - 1) times; in a mesh it sends all it has to every other one at once.
 */
export function tensorWire(link: Link, machines: number, layers: number, activationBytes: number): Wire {
  const n = machines;
  if (n === 1) return { messages: 0, bytes: 0, seconds: 0, latencySeconds: 0 };
  const messages = 2 * layers + 2;
  const summed = 2 * layers * activationBytes + DECISION_BYTES + ID_BYTES * n;
  const steps = link.mesh ? 1 : 2 * (n - 1);
  const stepBytes = link.mesh ? summed : summed / n;
  const latencySeconds = messages * steps * link.latency;
  return {
    messages,
    bytes: n * (link.mesh ? n - 1 : steps) * stepBytes,
    seconds: latencySeconds + (steps * stepBytes) / link.bytesPerSecond,
    latencySeconds,
  };
}

/** A token's activations from each machine to the next, and its id from the last one to the first. */
export function pipelineWire(link: Link, machines: number, activationBytes: number): Wire {
  const messages = machines === 1 ? 0 : machines;
  const bytes = messages === 0 ? 0 : (machines - 1) * activationBytes + ID_BYTES;
  const latencySeconds = messages * link.latency;
  return { messages, bytes, seconds: latencySeconds + bytes / link.bytesPerSecond, latencySeconds };
}
