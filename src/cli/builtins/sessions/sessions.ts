import { type Builtin, print } from '../base/builtin.ts';
import { sessionList } from './session-list.ts';

export const sessions: Builtin = {
  name: 'sessions',
  argument: '[words]',
  help: 'lists the saved conversations, or those that contain all the words',
  run: (session, words) => print(sessionList(session, words)),
};
