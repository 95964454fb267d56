/** The numbers from `min` to `max`, both included unless `above` or `below` says otherwise. */
export interface NumberRange {
  readonly min: number;
  readonly max: number;
  readonly integer?: boolean;
  /** `min` itself is out of range. */
  readonly above?: boolean;
  /** `max` itself is out of range. */
  readonly below?: boolean;
}

export function isInRange(value: unknown, { min, max, integer, above, below }: NumberRange): boolean {
  if (typeof value !== 'number' || !Number.isFinite(value)) return false;
  if (integer && !Number.isInteger(value)) return false;
  return (above ? value > min : value >= min) && (below ? value < max : value <= max);
}

/** For a message: `an integer from 0 to 9`, `a number above 0 and at most 1`. */
export function rangeText({ min, max, integer, above, below }: NumberRange): string {
  const kind = integer ? 'an integer' : 'a number';
  if (!above && !below) return `${kind} from ${min} to ${max}`;
  return `${kind} ${above ? 'above' : 'of at least'} ${min} and ${below ? 'below' : 'at most'} ${max}`;
}
