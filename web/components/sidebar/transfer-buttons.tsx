import { useRef } from 'react';
import { exportedJson, exportedMarkdown, fileNameOf } from '../../conversation/export.ts';
import { readExport } from '../../conversation/import.ts';
import { currentOf } from '../../state/chat-state.ts';
import { useChat, useChatState } from '../../state/use-chat.ts';
import { saveFile } from '../../widgets/save-file.ts';

const MAX_BYTES = 200 * 1024 * 1024;

/** Conversations to files, and back. */
export function TransferButtons() {
  const chat = useChat();
  const current = useChatState(currentOf);
  const input = useRef<HTMLInputElement>(null);
  const importFile = async (file: File) => {
    try {
      if (file.size > MAX_BYTES) throw new Error('This file is too large.');
      chat.add(readExport(await file.text()));
    } catch (error) {
      chat.notify(error instanceof Error ? error.message : String(error));
    }
  };
  const exportAll = async () =>
    saveFile('llm-host-conversations.json', 'application/json', exportedJson(await chat.all()));
  return (
    <div className="transfer">
      <button type="button" onClick={() => void exportAll()}>
        Export all
      </button>
      <button
        type="button"
        disabled={!current}
        onClick={() =>
          current && saveFile(`${fileNameOf(current.title)}.md`, 'text/markdown', exportedMarkdown(current))
        }
      >
        Save this one
      </button>
      <button type="button" onClick={() => input.current?.click()}>
        Import
      </button>
      <input
        ref={input}
        type="file"
        accept=".json,application/json"
        hidden
        aria-label="File to import"
        onChange={event => {
          const [file] = event.target.files ?? [];
          if (file) void importFile(file);
          event.target.value = '';
        }}
      />
    </div>
  );
}
