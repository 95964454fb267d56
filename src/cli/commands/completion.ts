import { basename } from 'node:path';
import { LlmHostError } from '../../errors.ts';
import { defineCommand } from '../options/command.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

export const completion = defineCommand({
  usage: 'completion [shell]',
  description: 'print a shell completion script',
  rare: true,
  options: y => y.positional('shell', { type: 'string', choices: SHELLS }),
  run: async ({ shell }) => {
    const name = shell ?? SHELLS.find(known => known === basename(process.env.SHELL ?? ''));
    if (name === undefined) {
      throw new LlmHostError('USAGE', `which shell? ${SHELLS.join(', ')}`, {
        hint: 'For example: llm-host completion bash',
      });
    }
    const { COMPLETION_SCRIPTS } = await import('../options/completion-scripts.ts');
    process.stdout.write(COMPLETION_SCRIPTS[name]);
    return 0;
  },
});
