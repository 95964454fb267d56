import type { NativeDecoding } from '../native/addon-types.ts';

/** What decoding one or more replies took. */
export type DecodingStats = NativeDecoding;

const NONE: DecodingStats = { passes: 0, sequences: 0, proposed: 0, accepted: 0 };

/** Of several replies; those of engines that do not say count as nothing. */
export function sumOfDecoding(all: readonly (DecodingStats | undefined)[]): DecodingStats {
  return all.reduce<DecodingStats>(
    (sum, one = NONE) => ({
      passes: sum.passes + one.passes,
      sequences: sum.sequences + one.sequences,
      proposed: sum.proposed + one.proposed,
      accepted: sum.accepted + one.accepted,
    }),
    NONE,
  );
}
