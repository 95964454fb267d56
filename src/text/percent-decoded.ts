/** A text with its percent escapes decoded; as it is where they are none, since a percent sign may stand for itself. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
