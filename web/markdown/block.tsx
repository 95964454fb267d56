import type { Token, Tokens } from 'marked';
import { memo, type ReactNode } from 'react';
import { CodeBlock } from './code-block.tsx';
import { Inline, MAX_DEPTH, textOf } from './inline.tsx';
import { plain } from './plain.ts';
import { Table } from './table.tsx';

interface BlockProps {
  readonly token: Token;
  /** More of it may come. */
  readonly open: boolean;
  readonly depth?: number;
  /** The definitions that its links may refer to; the block changes with them though its text does not. */
  readonly definitions?: string;
}

/** A block of markdown; rendered again only when its text has changed, or what it refers to. */
export const BlockView = memo(
  Block,
  (a, b) =>
    a.token.raw === b.token.raw &&
    a.token.type === b.token.type &&
    a.definitions === b.definitions &&
    a.open === b.open,
);

function Block({ token, open, depth = 0 }: BlockProps): ReactNode {
  const inline = (tokens: readonly Token[] | undefined) =>
    tokens ? <Inline tokens={tokens} /> : textOf(token);
  if (depth > MAX_DEPTH) return <p>{plain(token.raw)}</p>;
  switch (token.type) {
    case 'heading':
      return <Heading token={token as Tokens.Heading} />;
    case 'paragraph':
      return <p>{inline((token as Tokens.Paragraph).tokens)}</p>;
    case 'text':
      return depth === 0 ? <p>{inline(token.tokens)}</p> : inline(token.tokens);
    case 'checkbox':
      return inline([token]);
    case 'code':
      return <CodeBlock language={(token as Tokens.Code).lang ?? ''} text={token.text} open={open} />;
    case 'blockquote':
      return <blockquote>{blocks((token as Tokens.Blockquote).tokens, depth)}</blockquote>;
    case 'list':
      return <List list={token as Tokens.List} depth={depth} />;
    case 'table':
      return <Table table={token as Tokens.Table} />;
    case 'hr':
      return <hr />;
    case 'space':
    case 'def':
      return null;
    default:
      return <p className="source">{plain(token.raw.trimEnd())}</p>;
  }
}

function blocks(tokens: readonly Token[], depth: number): ReactNode {
  // biome-ignore lint/suspicious/noArrayIndexKey: blocks have no other keys, and come at the end only
  return tokens.map((token, index) => <Block key={index} token={token} open={false} depth={depth + 1} />);
}

/** Below the headings of the page. */
function Heading({ token: { depth, tokens } }: { readonly token: Tokens.Heading }) {
  const Tag = (['h3', 'h4', 'h5', 'h6'] as const)[Math.min(depth, 4) - 1] ?? 'h6';
  return (
    <Tag>
      <Inline tokens={tokens} />
    </Tag>
  );
}

function List({ list, depth }: { readonly list: Tokens.List; readonly depth: number }) {
  const items = list.items.map((item, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: as above
    <li key={index} className={item.task ? 'task' : undefined}>
      {blocks(item.tokens, depth)}
    </li>
  ));
  if (!list.ordered) return <ul>{items}</ul>;
  return <ol start={list.start === '' ? 1 : list.start}>{items}</ol>;
}
