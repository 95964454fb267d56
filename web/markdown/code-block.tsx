import { CopyButton } from '../widgets/copy-button.tsx';
import { codeChunks } from './code-chunks.ts';
import { Highlighted } from './highlight.tsx';

interface CodeBlockProps {
  /** As written behind the fence: `python title="x"`. */
  readonly language: string;
  readonly text: string;
  /** More lines may come. */
  readonly open: boolean;
}

/** A piece of code with its language and a button to copy it. */
export function CodeBlock({ language, text, open }: CodeBlockProps) {
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
          {codeChunks(text, open).map((chunk, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: chunks come at the end only
            <span key={index} className="chunk">
              <Highlighted text={`${chunk}\n`} language={name} />
            </span>
          ))}
        </code>
      </pre>
    </figure>
  );
}
