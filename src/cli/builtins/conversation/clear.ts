import { type Builtin, print } from '../base/builtin.ts';

export const clear: Builtin = {
  name: 'clear',
  help: 'forgets the conversation',
  plain: ['clear'],
  run: session => {
    session.clear();
    return print('The conversation was cleared.');
  },
};
