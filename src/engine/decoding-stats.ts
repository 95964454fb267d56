/** The work that decoding one or more replies took. */
export interface DecodingStats {
  /** Passes over the weights. */
  readonly passes: number;
  /** Sequences in all of these passes, this one included. */
  readonly sequences: number;
  /** Tokens proposed, and those of them that the reply has. */
  readonly proposed: number;
  readonly accepted: number;
}

const NONE: DecodingStats = { passes: 0, sequences: 0, proposed: 0, accepted: 0 };

/** Adds up several replies; those of engines that do not say count as nothing. */
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
