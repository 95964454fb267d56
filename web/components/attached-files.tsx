import type { AttachedFile } from '../conversation/types.ts';
import { Icon } from '../widgets/icon.tsx';
import { IconButton } from '../widgets/icon-button.tsx';

interface AttachedFilesProps {
  readonly files: readonly AttachedFile[];
  readonly onRemove: (index: number) => void;
}

/** The files that will go with the question. */
export function AttachedFiles({ files, onRemove }: AttachedFilesProps) {
  if (files.length === 0) return null;
  return (
    <ul className="files" aria-label="Files">
      {files.map(({ name, text }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two files may have the same name
        <li key={index}>
          <Icon name="attach" /> {name} <span className="hint">{text.split('\n').length} lines</span>
          <IconButton icon="close" label={`Remove ${name}`} onClick={() => onRemove(index)} />
        </li>
      ))}
    </ul>
  );
}
