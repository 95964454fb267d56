/** An absolute URL of HTTP or HTTPS. */
export function isHttpAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
