import { type Builtin, print } from './builtin.ts';

export const retry: Builtin = {
  name: 'retry',
  help: 'asks the last prompt again',
  run: session => {
    const prompt = session.history.messages.findLast(message => message.role === 'user')?.content;
    if (prompt === undefined) return print('There is no prompt to ask again.');
    session.history.undoTurn();
    return { output: '', prompt };
  },
};
