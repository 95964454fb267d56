import type { ChatSession } from '../../session/chat-session.ts';
import { type Builtin, print } from '../base/builtin.ts';

export const sessions: Builtin = {
  name: 'sessions',
  argument: '[words]',
  help: 'lists the saved conversations, or those that contain all the words',
  run: (session, words) => print(sessionList(session, words)),
};

/** Sessions shown in a list. */
const LISTED = 15;

/** The saved conversations, numbered for `/load`, or those that contain all the words. */
export function sessionList(session: ChatSession, words: string): string {
  const found = session.folder.list(words);
  if (words === '') session.listed = found;
  if (found.length === 0)
    return words === '' ? 'No conversation has been saved yet.' : 'No conversation contains these words.';
  const lines = found.slice(0, LISTED).map(({ updated, model, title }, index) => {
    const number = words === '' ? `${String(index + 1).padStart(3)}  ` : '';
    return `${number}${localTime(updated)}  ${model}  ${title}`;
  });
  const more = found.length > LISTED ? [`... and ${found.length - LISTED} more`] : [];
  const advice = words === '' ? '/load NUMBER continues one.' : found.map(({ path }) => path)[0];
  return [...lines, ...more, advice ?? ''].join('\n');
}

/** `2026-11-23 09:30`, as the clock on the wall; a date that is none stays as it is. */
function localTime(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
