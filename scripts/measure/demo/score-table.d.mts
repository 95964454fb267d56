export interface Result {
  readonly set: string;
  readonly kind: string;
  readonly verdict: string;
}

export function wilson(count: number, total: number): [low: number, high: number];
export function table(
  results: readonly Result[],
  sets: Readonly<Record<string, { readonly bad?: string; readonly says?: string }>>,
): string;
export function groupBy<T>(list: readonly T[], key: (one: T) => string): Record<string, T[]>;
