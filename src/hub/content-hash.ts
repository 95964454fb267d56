import { createHash } from 'node:crypto';

/** The hash a blob is named after: the content's sha256, or git's sha1 of a header and the content. */
export async function contentHash(
  etag: string,
  size: number,
  content: AsyncIterable<Buffer>,
): Promise<string> {
  const hash = etag.length === 64 ? createHash('sha256') : createHash('sha1').update(`blob ${size}\0`);
  for await (const piece of content) hash.update(piece);
  return hash.digest('hex');
}
