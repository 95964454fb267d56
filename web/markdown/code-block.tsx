import { memo } from 'react';
import { CopyButton } from '../widgets/copy-button.tsx';
import { codePieces, codeSections } from './code-pieces.ts';
import { Highlighted } from './highlight.tsx';

interface CodeProps {
  /** As written behind the fence: `python title="x"`. */
  readonly language: string;
  readonly text: string;
  /** More lines may come. */
  readonly open: boolean;
}

/** A piece of code with its language and a button to copy it. */
export function CodeBlock({ language, text, open }: CodeProps) {
  const name = /^[\w+#.-]*/.exec(language)?.[0].toLowerCase() ?? '';
  return (
    <figure className="code">
      <figcaption>
        <span>{name || 'text'}</span>
        <CopyButton text={text} label="Copy the code" />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: without it, keys could not scroll the code */}
      <pre tabIndex={0}>
        <code>
          {codeSections(text, open).map((section, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: sections come at the end only
            <CodeSection key={index} language={name} text={section} open={open} />
          ))}
        </code>
      </pre>
    </figure>
  );
}

/** Rendered again only when its text has changed: of long code that grows, the last one. */
const CodeSection = memo(({ language, text, open }: CodeProps) => (
  <span className="section">
    {codePieces(text, open).map((piece, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces come at the end only
      <span key={index}>
        <Highlighted text={`${piece}\n`} language={language} />
      </span>
    ))}
  </span>
));
