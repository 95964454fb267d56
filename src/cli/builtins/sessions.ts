import { type Builtin, print } from './builtin.ts';
import { sessionList } from './session-list.ts';

export const sessions: Builtin = {
  name: 'sessions',
  argument: '[words]',
  help: 'lists the kept conversations, or those that hold all the words',
  run: (session, words) => print(sessionList(session, words)),
};
