import type { Builtin } from '../base/builtin.ts';

export const quit: Builtin = {
  name: 'quit',
  aliases: ['bye', 'exit', 'q'],
  help: 'ends the program',
  plain: ['quit', 'bye', 'exit', 'q'],
  run: () => ({ output: '', quit: true }),
};
