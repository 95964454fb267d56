import { type Builtin, print } from '../base/builtin.ts';

export const retry: Builtin = {
  name: 'retry',
  help: 'asks the last prompt again',
  run: ({ lastPrompt }) => {
    const prompt = lastPrompt.again;
    if (prompt === undefined) return print('There is no prompt to ask again.');
    lastPrompt.takeBack();
    return { output: '', prompt };
  },
};
