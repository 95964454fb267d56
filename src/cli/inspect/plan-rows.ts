import type { ProbedLink } from '../../distributed/leader/probe.ts';
import type { Division } from '../../model/distributed/division.ts';
import type { Plan } from '../../model/distributed/plan.ts';
import type { Share } from '../../model/distributed/shares.ts';
import { byteSize } from '../../text/byte-size.ts';
import { type Row, rounded, sized } from './model-rows.ts';

/** A plan for several machines, below what is said of the model. */
export function planRows(plan: Plan): Row[] {
  const { shares, wire, other, indivisible, advice } = plan;
  const indivisibly = indivisible === undefined ? '' : `; not by heads: ${indivisible}`;
  const seconds = `${rounded(wire.seconds * 1000)} of ${rounded(1000 / plan.tokensPerSecond)} ms`;
  return [
    [
      'machines',
      shares.length === 1 ? '1: nothing to divide' : `${shares.length}, ${WAYS[plan.split]}${indivisibly}`,
    ],
    ...shares.map(share => shareRow(share, plan)),
    ['wire', `${byteSize(wire.bytes)} a token in ${wire.messages} messages, ${seconds}`],
    ['together', `at most ${rounded(plan.tokensPerSecond)} tok/s${other ? `; ${otherWay(other)}` : ''}`],
    ...advice.map(sentence => ['advice', sentence] as Row),
  ];
}

/** Describes the measured connections. */
export function probeRows(links: readonly ProbedLink[]): Row[] {
  return links.map(({ title, latency, bytesPerSecond }) => [
    'measured',
    `${title}: ${rounded(latency * 1e6)} µs, ${rounded((bytesPerSecond * 8) / 1e9)} Gbit/s`,
  ]);
}

const WAYS: Readonly<Record<Division['split'], string>> = {
  tensor: 'each with a part of every layer (tensor parallel)',
  pipeline: 'each with some of the layers (pipeline)',
};

function otherWay({ split, tokensPerSecond, fits }: Division): string {
  return `${split === 'tensor' ? 'tensor parallel' : 'as a pipeline'} ${fits ? `${rounded(tokensPerSecond)} tok/s` : 'it does not fit'}`;
}

function shareRow(share: Share, { split, shares }: Plan): Row {
  const { firstLayer, layers, weightBytes, kvBytes, totalBytes, memoryBytes, fits } = share;
  const some = layers === 0 ? 'no layers' : `layers ${firstLayer} to ${firstLayer + layers - 1}`;
  const part = split === 'tensor' && shares.length > 1 ? `1/${shares.length} of ${layers} layers` : some;
  const parts = `weights ${sized(weightBytes)}, KV cache ${sized(kvBytes)}`;
  return [
    `  ${share.name}`,
    `${share.address}: ${part}; ${sized(totalBytes)} of ${sized(memoryBytes)} (${parts}): ${fits ? 'fits' : 'does not fit'}`,
  ];
}
