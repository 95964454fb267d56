import { type ClipboardEvent, type DragEvent, useState } from 'react';
import { MAX_FILES, pastedFiles, readAttachment } from '../conversation/attach.ts';
import type { AttachedFile } from '../conversation/types.ts';

/** The text files of the next question: chosen, dropped or pasted. */
export function useAttachments() {
  const [files, setFiles] = useState<readonly AttachedFile[]>([]);
  const [problem, setProblem] = useState<string>();
  const add = async (chosen: readonly File[]) => {
    const read = await Promise.allSettled(chosen.slice(0, MAX_FILES).map(readAttachment));
    const good = read.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []));
    const bad = read.flatMap(one =>
      one.status === 'rejected' ? [String((one.reason as Error).message)] : [],
    );
    const tooMany =
      files.length + chosen.length > MAX_FILES ? [`at most ${MAX_FILES} files go with a question`] : [];
    setFiles(before => [...before, ...good].slice(0, MAX_FILES));
    const all = [...bad, ...tooMany];
    setProblem(all.length > 0 ? `${all.join('; ')}.` : undefined);
  };
  return {
    files,
    problem,
    add: (chosen: readonly File[]) => void add(chosen),
    remove: (index: number) => setFiles(before => before.filter((_, at) => at !== index)),
    clear: () => {
      setFiles([]);
      setProblem(undefined);
    },
    onPaste: (event: ClipboardEvent) => {
      const { clipboardData: data } = event;
      const pasted = pastedFiles({ files: data.files, getData: format => data.getData(format) });
      if (pasted.length === 0) return;
      event.preventDefault();
      void add(pasted);
    },
    dropTarget: {
      onDragOver: (event: DragEvent) => {
        if (hasFiles(event)) event.preventDefault();
      },
      onDrop: (event: DragEvent) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        void add([...event.dataTransfer.files]);
      },
    },
  };
}

/** Text that is dragged goes into the field, as everywhere. */
const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer.types.includes('Files');
