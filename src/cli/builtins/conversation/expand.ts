import { type Builtin, print } from '../base/builtin.ts';

export const expand: Builtin = {
  name: 'expand',
  argument: '[number]',
  help: 'shows the last tool result in full (Ctrl+O); 2: the one before it',
  run: ({ results }, word) => {
    if (!/^\d*$/.test(word))
      return print('/expand takes a number: 1 is the last result, 2 the one before it.');
    return print(results.show(word === '' ? 1 : Number(word)));
  },
};
