import { adviceFor } from './advice.ts';
import type { Alone, Division } from './division.ts';
import type { Host, Hosts } from './hosts.ts';
import type { ModelParts } from './model-parts.ts';
import { pipelineShares, type Share, tensorShares } from './shares.ts';
import { pipelineWire, tensorWire, type Wire } from './wire.ts';

export interface Plan extends Division {
  /** The other way to divide the model, if there is one. */
  readonly other: Division | undefined;
  /** Why it cannot be divided by heads. */
  readonly indivisible: string | undefined;
  readonly alone: Alone | undefined;
  /** Whole sentences. */
  readonly advice: readonly string[];
}

/**
 * How to divide a model: by heads where they divide, or by layers, whichever fits and is faster. The speed is an upper
 * bound for one reply at a time: docs/evidence/distributed.md has the formula.
 */
export function planHosts(parts: ModelParts, hosts: Hosts, indivisible: string | undefined): Plan {
  const ways = [...(indivisible === undefined ? [byTensor(parts, hosts)] : []), byLayers(parts, hosts)];
  const [best, other] = [...ways].sort(
    (a, b) => Number(b.fits) - Number(a.fits) || b.tokensPerSecond - a.tokensPerSecond,
  ) as [Division, Division | undefined];
  const alone = fastestAlone(parts, hosts);
  return {
    ...best,
    other: hosts.hosts.length === 1 ? undefined : other,
    indivisible,
    alone,
    advice: adviceFor(best, hosts, alone),
  };
}

/** All machines work on the same layer, so the slowest one counts. */
function byTensor(parts: ModelParts, { hosts, link }: Hosts): Division {
  const shares = tensorShares(parts, hosts);
  const wire = tensorWire(link, hosts.length, parts.layers.length, parts.activationBytes);
  return division('tensor', shares, wire, Math.max(...shares.map(share => share.seconds)));
}

/** One machine works after the other. */
function byLayers(parts: ModelParts, { hosts, link }: Hosts): Division {
  const shares = pipelineShares(parts, hosts);
  const wire = pipelineWire(link, hosts.length, parts.activationBytes);
  return division(
    'pipeline',
    shares,
    wire,
    shares.reduce((seconds, share) => seconds + share.seconds, 0),
  );
}

function division(split: Division['split'], shares: readonly Share[], wire: Wire, reading: number): Division {
  return {
    split,
    shares,
    wire,
    tokensPerSecond: 1 / (reading + wire.seconds),
    fits: shares.every(share => share.fits),
  };
}

function fastestAlone(parts: ModelParts, { hosts, link }: Hosts): Alone | undefined {
  const alone = (host: Host) => byTensor(parts, { hosts: [host], link });
  return hosts
    .map(host => ({ name: host.name, ...alone(host) }))
    .filter(({ fits }) => fits)
    .sort((a, b) => b.tokensPerSecond - a.tokensPerSecond)
    .map(({ name, tokensPerSecond }) => ({ name, tokensPerSecond }))[0];
}
