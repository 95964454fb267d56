import type { Token, Tokens } from 'marked';
import type { ReactNode } from 'react';
import { decoded } from './entities.ts';
import { plain } from './plain.ts';
import { safeLink } from './safe-link.ts';

/** Deeper than any text that somebody has written. */
export const MAX_DEPTH = 24;

/** Words with emphasis, code and links. Whatever is not one of these is shown as it was written, HTML too. */
export function Inline({
  tokens,
  depth = 0,
}: {
  readonly tokens: readonly Token[];
  readonly depth?: number;
}) {
  // biome-ignore lint/suspicious/noArrayIndexKey: a text has no other keys, and grows at its end only
  return tokens.map((token, index) => <Span key={index} token={token} depth={depth} />);
}

/** The text of a token that has no parts. */
export function textOf(token: Token): string {
  return plain('text' in token ? decoded(String(token.text)) : token.raw);
}

function Span({ token, depth }: { readonly token: Token; readonly depth: number }): ReactNode {
  const inner = () => {
    const tokens = 'tokens' in token ? token.tokens : undefined;
    if (!tokens || depth > MAX_DEPTH) return textOf(token);
    return <Inline tokens={tokens} depth={depth + 1} />;
  };
  switch (token.type) {
    case 'strong':
      return <strong>{inner()}</strong>;
    case 'em':
      return <em>{inner()}</em>;
    case 'del':
      return <del>{inner()}</del>;
    case 'codespan':
      return <code>{plain((token as Tokens.Codespan).text)}</code>;
    case 'br':
      return <br />;
    case 'link':
      return <Link href={(token as Tokens.Link).href}>{inner()}</Link>;
    case 'image':
      return <ImageLink token={token as Tokens.Image} />;
    case 'checkbox':
      return <Tick checked={(token as Tokens.Checkbox).checked} />;
    case 'text':
    case 'escape':
      return inner();
    default:
      return plain(token.raw);
  }
}

function Link({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  const url = safeLink(href);
  if (url === undefined) return children;
  return (
    <a href={url} title={url} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

/** Loading an image would tell its server that the reply was read, and when. */
function ImageLink({ token: { href, text } }: { readonly token: Tokens.Image }) {
  return <Link href={href}>{`[image: ${plain(text) || 'without a description'}]`}</Link>;
}

function Tick({ checked }: { readonly checked: boolean }) {
  return (
    <span role="img" aria-label={checked ? 'done' : 'to do'} className="tick">
      {checked ? '☑ ' : '☐ '}
    </span>
  );
}
