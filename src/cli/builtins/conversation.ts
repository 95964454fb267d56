import { thinkingNotice } from '../session/thinking-notice.ts';
import { type Builtin, print } from './builtin.ts';

export const clear: Builtin = {
  name: 'clear',
  aliases: [],
  argument: '',
  help: 'forgets the conversation',
  plain: ['clear'],
  run: session => {
    session.clear();
    return print('The conversation was cleared.');
  },
};

export const undo: Builtin = {
  name: 'undo',
  aliases: [],
  argument: '',
  help: 'takes back the last prompt and its answer',
  plain: [],
  run: session =>
    print(session.history.undoTurn() ? 'The last turn was taken back.' : 'There is no turn to take back.'),
};

export const retry: Builtin = {
  name: 'retry',
  aliases: [],
  argument: '',
  help: 'asks the last prompt again',
  plain: [],
  run: session => {
    const prompt = session.history.messages.findLast(message => message.role === 'user')?.content;
    if (prompt === undefined) return print('There is no prompt to ask again.');
    session.history.undoTurn();
    return { output: '', prompt };
  },
};

export const system: Builtin = {
  name: 'system',
  aliases: [],
  argument: '[text]',
  help: 'shows the system prompt, or sets it',
  plain: [],
  run: (session, text) => {
    const { messages } = session.history;
    const first = messages[0]?.role === 'system' ? messages[0] : undefined;
    if (text === '') return print(first?.content ?? 'There is no system prompt.');
    session.replaceMessages([{ role: 'system', content: text }, ...messages.slice(first ? 1 : 0)]);
    return print('The system prompt was set.');
  },
};

export const think: Builtin = {
  name: 'think',
  aliases: [],
  argument: '[on|off|show|hide]',
  help: 'makes the model think or not; shows its thinking in full, or folds it',
  plain: [],
  run: (session, word) => {
    if (word === 'on' || word === 'off') {
      const [notice] = thinkingNotice(session.opened, word === 'on');
      return print(notice ?? `The model ${word === 'on' ? 'thinks' : 'does not think'} before it answers.`);
    }
    if (!['', 'show', 'hide'].includes(word)) return print('/think takes on, off, show or hide.');
    session.showThinking = word === '' ? !session.showThinking : word === 'show';
    return print(session.showThinking ? 'Thinking is shown.' : 'Thinking is folded.');
  },
};
