import { type Builtin, print } from '../base/builtin.ts';

export const retry: Builtin = {
  name: 'retry',
  help: 'asks the last prompt again',
  run: session => {
    const last = session.lastPrompt;
    if (last === undefined) return print('There is no prompt to ask again.');
    session.history.undoTurn();
    // It has the texts of its files and resources already.
    return { output: '', prompt: { text: '', data: last.content, shown: last.typed } };
  },
};
