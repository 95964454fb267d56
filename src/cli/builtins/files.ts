import { writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { LlmHostError, messageOf } from '../../errors.ts';
import type { ChatSession } from '../session/chat-session.ts';
import { EXPORT_FORMATS, type ExportFormat, exportSession, formatOf } from '../session/session-export.ts';
import { type Builtin, print } from './builtin.ts';

/** Sessions that a list shows. */
const LISTED = 15;

export const save: Builtin = {
  name: 'save',
  aliases: [],
  argument: '[file]',
  help: 'saves the conversation',
  plain: [],
  run: async (session, file) => {
    const path = file === '' ? session.folder.newFile(new Date()) : pathOf(file);
    session.save(path);
    // Only where the user has named the place: it may be large.
    const cache = file === '' || !session.lastReply ? undefined : await session.keepCache(path);
    return print([`Saved to ${path}`, cache].filter(Boolean).join('\n'));
  },
};

export const load: Builtin = {
  name: 'load',
  aliases: [],
  argument: '[file or number]',
  help: 'goes on with a saved conversation; without a file lists them',
  plain: [],
  run: async (session, word) => {
    if (word === '') return print(listText(session, ''));
    const path = /^\d+$/.test(word) ? numbered(session, Number(word)) : pathOf(word);
    const saved = session.load(path);
    const turns = saved.messages.filter(message => message.role === 'user').length;
    const loaded = `Loaded ${turns} ${turns === 1 ? 'turn' : 'turns'} from ${path}`;
    return print([loaded, await session.restoreCache(path)].filter(Boolean).join('\n'));
  },
};

export const sessions: Builtin = {
  name: 'sessions',
  aliases: [],
  argument: '[words]',
  help: 'lists the kept conversations, or those that hold all the words',
  plain: [],
  run: (session, words) => print(listText(session, words)),
};

export const exportTo: Builtin = {
  name: 'export',
  aliases: [],
  argument: '[markdown|json|html] [file]',
  help: 'writes the conversation as a document',
  plain: [],
  run: (session, argument) => {
    const [first = '', ...rest] = argument.split(/\s+/);
    const named = EXPORT_FORMATS.find(format => format === first.toLowerCase()) ?? undefined;
    const file = named ? rest.join(' ') : argument;
    const format: ExportFormat | undefined = named ?? (file === '' ? 'markdown' : formatOf(file));
    if (!format)
      return print(`/export takes ${EXPORT_FORMATS.join(', ')}, or a file named .md, .json or .html.`);
    const text = exportSession(session.snapshot(), format);
    if (file === '') return print(text.trimEnd());
    const path = pathOf(file);
    try {
      writeFileSync(path, text, { mode: 0o600 });
    } catch (error) {
      throw new LlmHostError('CONFIG', `${path} cannot be written: ${messageOf(error)}`, { cause: error });
    }
    return print(`Exported to ${path}`);
  },
};

function listText(session: ChatSession, words: string): string {
  const found = session.folder.list(words);
  if (found.length === 0)
    return words === '' ? 'No conversation is kept yet.' : 'No conversation holds these words.';
  const lines = found.slice(0, LISTED).map(({ updated, model, title }, index) => {
    const number = words === '' ? `${String(index + 1).padStart(3)}  ` : '';
    return `${number}${updated.slice(0, 16).replace('T', ' ')}  ${model}  ${title}`;
  });
  const more = found.length > LISTED ? [`... and ${found.length - LISTED} more`] : [];
  const advice = words === '' ? '/load NUMBER goes on with one.' : found.map(({ path }) => path)[0];
  return [...lines, ...more, advice ?? ''].join('\n');
}

function numbered(session: ChatSession, number: number): string {
  const found = session.folder.list()[number - 1];
  if (!found)
    throw new LlmHostError('USAGE', `There is no conversation ${number}`, { hint: '/load lists them.' });
  return found.path;
}

function pathOf(file: string): string {
  return file.startsWith('~/') ? join(homedir(), file.slice(2)) : resolve(file);
}
