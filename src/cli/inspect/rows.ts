/** A line of a description: its name and what is said. */
export type Row = readonly [name: string, value: string];

/** To two significant digits. */
export function rounded(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 2 });
}

export function sized(bytes: number): string {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(2)} GB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
