import { type Builtin, print } from './builtin.ts';

export const model: Builtin = {
  name: 'model',
  help: 'describes the loaded model',
  run: session => print(session.opened.description),
};
