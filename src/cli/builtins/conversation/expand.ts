import { type Builtin, print } from '../base/builtin.ts';

export const expand: Builtin = {
  name: 'expand',
  argument: '[number]',
  help: 'shows the last tool result in full; 2: the one before it (Ctrl+O; again for earlier ones)',
  run: ({ results }, word) => {
    if (!/^\d*$/.test(word))
      return print('/expand takes a number: 1 is the last result, 2 the one before it.');
    return print(results.show(word === '' ? 1 : Number(word)));
  },
};
