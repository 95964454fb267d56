import { thinkingNotice } from '../../start/model-notices.ts';
import { type Builtin, print } from '../base/builtin.ts';

export const think: Builtin = {
  name: 'think',
  argument: '[on|off|show|hide]',
  help: 'turns thinking on or off; shows it in full, or folds it',
  run: (session, word) => {
    if (word === 'on' || word === 'off') {
      session.thinking = word === 'on';
      const [notice] = thinkingNotice(session.opened, session.thinking);
      return print(
        notice ?? `The model ${session.thinking ? 'thinks' : 'does not think'} before it answers.`,
      );
    }
    if (!['', 'show', 'hide'].includes(word)) return print('/think takes on, off, show or hide.');
    session.showThinking = word === '' ? !session.showThinking : word === 'show';
    return print(session.showThinking ? 'Thinking is shown.' : 'Thinking is folded.');
  },
};
