const Z = 1.959964;

/** A share with its 95 % confidence interval, each from 0 to 1. */
export interface Share {
  readonly share: number;
  readonly low: number;
  readonly high: number;
}

/** Wilson's interval, which holds for few cases and for shares near 0 and 1 too. Of no cases: all of 0 to 1. */
export function shareOf(right: number, of: number): Share {
  if (of === 0) return { share: 0, low: 0, high: 1 };
  const share = right / of;
  const middle = share + Z ** 2 / (2 * of);
  const spread = Z * Math.sqrt((share * (1 - share)) / of + Z ** 2 / (4 * of ** 2));
  const scale = 1 + Z ** 2 / of;
  // Rounding may leave them a hair outside.
  return { share, low: Math.max(0, (middle - spread) / scale), high: Math.min(1, (middle + spread) / scale) };
}
