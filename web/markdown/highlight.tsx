import { createLowlight } from 'lowlight';
import { memo, type ReactNode } from 'react';
import { LANGUAGES } from './languages.ts';
import { plain } from './plain.ts';

const lowlight = createLowlight(LANGUAGES);

type Tree = ReturnType<typeof lowlight.highlight>;
type Node = Tree['children'][number];

/** Longer texts, such as minified code, are shown without colours. */
const MAX_CHARS = 20_000;

/** A text in the colours of its language, as elements; HTML is never made of it. */
export const Highlighted = memo(
  ({ text, language }: { readonly text: string; readonly language: string }) => {
    const shown = plain(text);
    if (shown.length > MAX_CHARS || !lowlight.registered(language)) return shown;
    return elements(lowlight.highlight(language, shown).children);
  },
);

function elements(nodes: readonly Node[]): ReactNode {
  return nodes.map((node, index) => {
    if (node.type === 'text') return node.value;
    if (node.type !== 'element') return null;
    const names = node.properties.className;
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a text have no other keys
      <span key={index} className={Array.isArray(names) ? names.join(' ') : undefined}>
        {elements(node.children as readonly Node[])}
      </span>
    );
  });
}
