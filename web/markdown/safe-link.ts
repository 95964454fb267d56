const ALLOWED = ['http:', 'https:', 'mailto:'];
const MAX_CHARS = 2000;

/** The address of a link in a reply as a browser reads it; undefined: it is not one that may be followed. */
export function safeLink(href: string): string | undefined {
  // Without a base, so that nothing leads to this server.
  if (href.length > MAX_CHARS || !URL.canParse(href)) return undefined;
  const url = new URL(href);
  return ALLOWED.includes(url.protocol) ? url.href : undefined;
}
