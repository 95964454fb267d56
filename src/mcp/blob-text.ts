/** Real ones are shorter; the patterns below would take long over a megabyte. */
const MAX_TYPE_CHARS = 255;
/** Types that are text though they are not called `text/...`. */
const TEXT_TYPES =
  /^(?:text\/.+|.+\/(?:.+\+)?(?:json|xml|yaml)|application\/(?:x-)?(?:ndjson|yaml|toml|javascript|sql))$/;

/**
 * The text of a resource that came as bytes, if its type says that they are text and they are; else undefined. Its `charset` is
 * honoured, and UTF-8 the default.
 */
export function blobText(blob: unknown, mimeType: unknown): string | undefined {
  if (typeof blob !== 'string' || typeof mimeType !== 'string' || mimeType.length > MAX_TYPE_CHARS)
    return undefined;
  const [type = '', ...parameters] = mimeType.toLowerCase().split(';');
  if (!TEXT_TYPES.test(type.trim())) return undefined;
  const [charset = 'utf-8'] = parameters.flatMap(one => /^\s*charset="?([^"\s]+)"?\s*$/.exec(one)?.[1] ?? []);
  try {
    return new TextDecoder(charset, { fatal: true }).decode(Buffer.from(blob, 'base64'));
  } catch {
    // Of a charset that nobody knows, or not text after all: shown as bytes.
    return undefined;
  }
}
