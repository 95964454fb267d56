/** Of several runs. The median of an even number is the mean of the middle two. */
export interface Spread {
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

/** `values` is not empty. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (index: number) => sorted[index] as number;
  const middle = (sorted.length - 1) / 2;
  return {
    min: at(0),
    median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2,
    max: at(sorted.length - 1),
  };
}

export function mapSpread({ min, median, max }: Spread, change: (value: number) => number): Spread {
  return { min: change(min), median: change(median), max: change(max) };
}
