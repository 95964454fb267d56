import type { Builtin } from './builtin.ts';

export const quit: Builtin = {
  name: 'quit',
  aliases: ['bye', 'exit'],
  help: 'ends the program',
  plain: ['quit', 'bye'],
  run: () => ({ output: '', quit: true }),
};
