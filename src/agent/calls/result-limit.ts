/** How many characters of a tool result fit a context of this many tokens. */
export function resultLimit(contextLength: number): number {
  if (contextLength <= 4096) return 3200;
  return contextLength <= 8192 ? 6000 : 60_000;
}

/** The text cut to `limit` characters, with a note that tells the model how much is missing. */
export function cutResult(text: string, limit: number): string {
  if (text.length <= limit) return text;
  // Never splits a surrogate pair.
  const end = /[\ud800-\udbff]$/.test(text.slice(0, limit)) ? limit - 1 : limit;
  return `${text.slice(0, end)}\n... [cut: ${end} of ${text.length} characters]`;
}
