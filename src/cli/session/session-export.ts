import type { Message } from '../../chat/message.ts';
import { type SavedSession, wholeConversation } from './saved-sessions.ts';

export type ExportFormat = 'markdown' | 'json' | 'html';

export const EXPORT_FORMATS: readonly ExportFormat[] = ['markdown', 'json', 'html'];

/** The format named by a word or a file's extension; undefined if unknown. */
export function formatOf(word: string): ExportFormat | undefined {
  const ending = /(?:^|\.)(md|markdown|json|html?)$/i.exec(word)?.[1]?.toLowerCase();
  if (ending === undefined) return undefined;
  if (ending.startsWith('m')) return 'markdown';
  return ending === 'json' ? 'json' : 'html';
}

/** The conversation as a document for people, or as JSON for programs. */
export function exportSession(session: SavedSession, format: ExportFormat): string {
  if (format === 'json') return `${JSON.stringify(session, undefined, 2)}\n`;
  return format === 'html' ? toHtml(session) : toMarkdown(session);
}

const TITLES = { system: 'System', user: 'User', assistant: 'Assistant', tool: 'Tool' } as const;

function toMarkdown(session: SavedSession): string {
  const { model, created } = session;
  const parts = wholeConversation(session).map(message => `## ${heading(message)}\n\n${bodyOf(message)}`);
  return `# Conversation with ${model}\n\n${created}\n\n${parts.join('\n\n')}\n`;
}

function heading(message: Message): string {
  return message.role === 'tool' ? `${TITLES.tool}: ${message.name}` : TITLES[message.role];
}

function bodyOf(message: Message): string {
  if (message.role === 'tool') return fence(message.content);
  if (message.role !== 'assistant' || !message.tool_calls) return message.content;
  const calls = message.tool_calls.map(
    call =>
      `Calls \`${call.function.name}\`:\n\n${fence(JSON.stringify(call.function.arguments, undefined, 2))}`,
  );
  return [message.content, ...calls].filter(Boolean).join('\n\n');
}

/** A fence longer than any in the text. */
function fence(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(run => run.length));
  const mark = '`'.repeat(longest + 1);
  return `${mark}\n${text.trimEnd()}\n${mark}`;
}

function toHtml(session: SavedSession): string {
  const { model, created } = session;
  const parts = wholeConversation(session).map(
    message =>
      `<section class="${message.role}"><h2>${escapeHtml(heading(message))}</h2><pre>${escapeHtml(plainBody(message))}</pre></section>`,
  );
  const title = escapeHtml(`Conversation with ${model}`);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title><style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 48rem; margin: 2rem auto; padding: 0 1rem; }
pre { white-space: pre-wrap; font: inherit; } h2 { font-size: 1rem; margin-bottom: 0; }
.tool pre { font-family: ui-monospace, monospace; } .system { opacity: 0.6; }
</style></head><body>
<h1>${title}</h1><p>${escapeHtml(created)}</p>
${parts.join('\n')}
</body></html>
`;
}

function plainBody(message: Message): string {
  if (message.role !== 'assistant' || !message.tool_calls) return message.content;
  const calls = message.tool_calls.map(
    call => `Calls ${call.function.name}(${JSON.stringify(call.function.arguments)})`,
  );
  return [message.content, ...calls].filter(Boolean).join('\n');
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
