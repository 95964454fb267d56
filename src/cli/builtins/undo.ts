import { type Builtin, print } from './builtin.ts';

export const undo: Builtin = {
  name: 'undo',
  help: 'takes back the last prompt and its answer',
  run: session =>
    print(session.history.undoTurn() ? 'The last turn was taken back.' : 'There is no turn to take back.'),
};
