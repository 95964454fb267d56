import { LlmHostError } from '../../../errors.ts';
import { tildePath, userPath } from '../../process/tilde-path.ts';
import type { ChatSession } from '../../session/chat-session.ts';
import { turnCount, wholeConversation } from '../../session/saved-sessions.ts';
import { type Builtin, print } from '../base/builtin.ts';
import { sessionList } from './sessions.ts';

export const load: Builtin = {
  name: 'load',
  argument: '[file or number]',
  help: 'continues a saved conversation; without a file, lists them',
  run: async (session, word) => {
    if (word === '') return print(sessionList(session, ''));
    const path = /^\d+$/.test(word) ? numbered(session, Number(word)) : userPath(word);
    const saved = session.load(path);
    const loaded = `Loaded ${turnCount(saved)} from ${tildePath(path)}`;
    const output = [loaded, await session.restoreCache(path)].filter(Boolean).join('\n');
    return { output, replay: wholeConversation(saved) };
  },
};

function numbered(session: ChatSession, number: number): string {
  const found = (session.listed ?? session.folder.list())[number - 1];
  if (!found)
    throw new LlmHostError('USAGE', `There is no conversation ${number}`, { hint: '/load lists them.' });
  return found.path;
}
