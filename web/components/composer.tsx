import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { type ChatState, currentOf } from '../state/chat-state.ts';
import { useAttachments } from '../state/use-attachments.ts';
import { useChat, useChatState } from '../state/use-chat.ts';
import { IconButton } from '../widgets/icon-button.tsx';
import { AttachedFiles } from './attached-files.tsx';

/** The field for the next question, its files, and the button that sends it or stops the reply. */
export function Composer() {
  const chat = useChat();
  const writing = useChatState(isWriting);
  const currentId = useChatState(state => state.currentId);
  const [text, setText] = useState('');
  const attachments = useAttachments();
  const field = useRef<HTMLTextAreaElement>(null);
  const input = useRef<HTMLInputElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the field is ready whenever another conversation is shown
  useEffect(() => {
    if (matchMedia('(pointer: fine)').matches) field.current?.focus();
  }, [currentId]);
  const canSend = !writing && (text.trim() !== '' || attachments.files.length > 0);
  const send = () => {
    if (!canSend) return;
    chat.send(text.trim(), attachments.files);
    setText('');
    attachments.clear();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Safari ends the composition before the key that ends it, which then has this code.
    if (event.nativeEvent.isComposing || event.nativeEvent.keyCode === 229) return;
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      send();
    }
    if (event.key === 'ArrowUp' && event.altKey)
      document.querySelector<HTMLElement>('[data-edit=last]')?.click();
  };
  return (
    <section className="composer" aria-label="Your question" {...attachments.dropTarget}>
      <AttachedFiles files={attachments.files} onRemove={attachments.remove} />
      {attachments.problem !== undefined && (
        <p className="error" role="alert">
          {attachments.problem}
        </p>
      )}
      <div className="field">
        <IconButton icon="attach" label="Attach text files" onClick={() => input.current?.click()} />
        <input
          ref={input}
          type="file"
          multiple
          hidden
          aria-label="Text files"
          onChange={event => {
            attachments.add([...(event.target.files ?? [])]);
            event.target.value = '';
          }}
        />
        <textarea
          id="question"
          ref={field}
          rows={1}
          aria-label="Question"
          placeholder="Ask something"
          value={text}
          onChange={event => setText(event.target.value)}
          onKeyDown={onKeyDown}
          onPaste={attachments.onPaste}
        />
        {writing ? (
          <IconButton icon="stop" label="Stop the reply" className="send" onClick={() => chat.stop()} />
        ) : (
          <IconButton icon="send" label="Send" className="send" disabled={!canSend} onClick={send} />
        )}
      </div>
    </section>
  );
}

/** Whether this tab receives a reply of the open conversation. */
function isWriting(state: ChatState): boolean {
  const messages = currentOf(state)?.messages ?? {};
  return [...state.writing.keys()].some(id => Object.hasOwn(messages, id));
}
