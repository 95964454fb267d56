import { questionText, replyText } from './api-messages.ts';
import { pathOf } from './tree.ts';
import type { Conversation } from './types.ts';

export const EXPORT_FORMAT = 'llm-host conversations';
export const EXPORT_VERSION = 1;

/** All branches and settings, to be imported again. */
export function exportedJson(conversations: readonly Conversation[]): string {
  return JSON.stringify({ format: EXPORT_FORMAT, version: EXPORT_VERSION, conversations }, undefined, 2);
}

/** The branch that is shown, to be read. */
export function exportedMarkdown(conversation: Conversation): string {
  const said = pathOf(conversation).map(message =>
    message.role === 'user'
      ? `## You\n\n${questionText(message)}`
      : `## ${message.model || 'Assistant'}\n\n${replyText(message)}`,
  );
  return `${[`# ${conversation.title}`, ...said].join('\n\n')}\n`;
}

/** A name for the file that every system takes. */
export function fileNameOf(title: string): string {
  return (
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
      .replaceAll(/^-|-$/g, '')
      .slice(0, 60) || 'conversation'
  );
}
