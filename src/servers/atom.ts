/** One paper of an arXiv answer. */
export interface Paper {
  /** Such as `2301.01234v2` or `hep-th/9901001v1`. */
  readonly id: string;
  readonly title: string;
  readonly authors: readonly string[];
  /** `YYYY-MM-DD`. */
  readonly published: string;
  readonly summary: string;
  readonly categories: readonly string[];
  readonly pdf: string;
}

/** Thrown for an answer that is not an Atom feed, such as a proxy's page. */
export class FeedError extends Error {
  override readonly name = 'FeedError';
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/**
 * The papers of an Atom feed as the arXiv API writes it (https://info.arxiv.org/help/api/user-manual.html). Reads only
 * the few elements it needs: a document cannot define entities, so there are no expansion attacks. arXiv reports errors
 * as an entry titled `Error`. Throws FeedError.
 */
export function parseFeed(xml: string): readonly Paper[] {
  if (!/<feed[\s>]/.test(xml) || !/<\/feed>\s*$/.test(xml.trimEnd())) {
    throw new FeedError('the answer is not a complete Atom feed');
  }
  const papers: Paper[] = [];
  for (const entry of elements(xml, 'entry')) {
    const title = textOf(entry, 'title');
    if (title === 'Error') throw new FeedError(textOf(entry, 'summary') || 'unknown error of the service');
    const id = textOf(entry, 'id').replace(/^https?:\/\/[^/]+\/abs\//, '');
    if (id === '') continue;
    papers.push({
      id,
      title,
      authors: elements(entry, 'author').map(author => textOf(author, 'name')),
      published: textOf(entry, 'published').slice(0, 10),
      summary: textOf(entry, 'summary'),
      categories: [...entry.matchAll(/<category\b[^>]*\bterm="([^"]*)"/g)].map(found =>
        decode(found[1] ?? ''),
      ),
      pdf: decode(/<link\b[^>]*\btitle="pdf"[^>]*\bhref="([^"]*)"/.exec(entry)?.[1] ?? linkOf(entry)),
    });
  }
  return papers;
}

/** A link's attributes come in any order. */
function linkOf(entry: string): string {
  return /<link\b[^>]*\bhref="([^"]*)"[^>]*\btitle="pdf"/.exec(entry)?.[1] ?? '';
}

function elements(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}\\b[^>]*>([\\s\\S]*?)</${name}>`, 'g'))].map(
    found => found[1] ?? '',
  );
}

function textOf(xml: string, name: string): string {
  return decode(elements(xml, name)[0] ?? '')
    .replace(/\s+/g, ' ')
    .trim();
}

function decode(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{1,8}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
