import { type Builtin, print, withNotice } from '../base/builtin.ts';

const SAID = {
  summary: 'The summary was taken back; every turn is there again.',
  turn: 'The last turn was taken back.',
  nothing: 'There is no turn to take back.',
} as const;

export const undo: Builtin = {
  name: 'undo',
  help: 'takes back the last prompt and its answer, or the last summary',
  run: session => {
    const { undone, problem } = session.undo();
    return print(withNotice(SAID[undone], problem));
  },
};
