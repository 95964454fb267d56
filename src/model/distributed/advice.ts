import { byteSize } from '../../text/byte-size.ts';
import type { Alone, Division } from './division.ts';
import type { Hosts } from './hosts.ts';

/** Less than this gain is not worth a second machine that can fail. */
const WORTHWHILE = 1.1;

/** Whether dividing pays, and what would help. */
export function adviceFor(division: Division, { hosts }: Hosts, alone: Alone | undefined): string[] {
  const short = division.shares.filter(share => !share.fits);
  if (short.length > 0) {
    return short.map(
      ({ name, totalBytes, memoryBytes }) =>
        `It does not fit: ${name} would need ${byteSize(totalBytes)} and has ${byteSize(memoryBytes)}.`,
    );
  }
  if (hosts.length === 1) return [];
  return [worth(division, alone), ...wireAdvice(division)];
}

function worth({ tokensPerSecond }: Division, alone: Alone | undefined): string {
  if (!alone) return 'It pays: no machine holds the model by itself.';
  const gain = tokensPerSecond / alone.tokensPerSecond;
  if (gain < WORTHWHILE) {
    return `It does not pay: ${alone.name} holds the model by itself, at ${rounded(alone.tokensPerSecond)} tok/s.`;
  }
  return `It pays: ${rounded(gain)} times the ${rounded(alone.tokensPerSecond)} tok/s of ${alone.name} by itself.`;
}

/** For a token that waits for the wire at least half of its time. */
function wireAdvice({ wire, tokensPerSecond }: Division): string[] {
  if (wire.seconds * tokensPerSecond < 0.5) return [];
  const latency = wire.latencySeconds > wire.seconds / 2;
  const share = Math.round(100 * wire.seconds * tokensPerSecond);
  return [
    `${share} % of each token is the connection: ${latency ? 'less latency' : 'more bandwidth'} would help most.`,
  ];
}

const rounded = (value: number) => value.toLocaleString('en', { maximumSignificantDigits: 2 });
