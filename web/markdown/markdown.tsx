import { useState } from 'react';
import { BlockView } from './block.tsx';
import { BlockReader } from './block-reader.ts';

interface MarkdownProps {
  readonly text: string;
  /** More of it may come. */
  readonly open: boolean;
}

/** A text of the model as elements. No HTML of it is ever made: there is nothing in it that could run. */
export function Markdown({ text, open }: MarkdownProps) {
  const [reader] = useState(() => new BlockReader());
  const blocks = reader.read(text, !open);
  return blocks.map(({ at, token, definitions }, index) => (
    <BlockView key={at} token={token} definitions={definitions} open={open && index === blocks.length - 1} />
  ));
}
