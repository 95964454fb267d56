import type { AssistantMessage, AttachedFile, Message, UserMessage } from './types.ts';

export interface ApiMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** The messages as the API takes them. What was said beside calls is enough: the server remembers its calls. */
export function apiMessages(path: readonly Message[], system: string): ApiMessage[] {
  const head: ApiMessage[] = system.trim() === '' ? [] : [{ role: 'system', content: system }];
  const said = path.map(
    (message): ApiMessage => ({
      role: message.role,
      content: message.role === 'user' ? questionText(message) : replyText(message),
    }),
  );
  // A reply that failed before its first word says nothing.
  return [...head, ...said.filter(({ role, content }) => role === 'user' || content !== '')];
}

export function questionText({ text, files }: UserMessage): string {
  return [text, ...files.map(fileText)].filter(one => one !== '').join('\n\n');
}

/** The texts between its calls, joined as the server joins them. */
export function replyText({ parts }: AssistantMessage): string {
  let text = '';
  let after = false;
  for (const part of parts) {
    if (part.type === 'call') after = true;
    if (part.type !== 'text') continue;
    text += after && text !== '' && !part.text.startsWith('\n') ? `\n${part.text}` : part.text;
    after = false;
  }
  return text;
}

function fileText({ name, text }: AttachedFile): string {
  // A fence longer than any in the file.
  const longest = Math.max(2, ...Array.from(text.matchAll(/`{3,}/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `File ${name}:\n${fence}\n${text.replace(/\n$/, '')}\n${fence}`;
}
