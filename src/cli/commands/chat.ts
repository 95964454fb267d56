import { defineCommand } from '../options/command.ts';
import { declareOptions } from '../options/declare-options.ts';

export const chat = defineCommand({
  usage: '$0 [model]',
  description: 'chat with a model',
  options: (y, declareModel) => declareOptions(declareModel(y), 'chat').conflicts('ask', 'yes'),
  run: async (args, { openModel, signals }) => {
    signals.watch();
    const { runChat } = await import('../chat/run-chat.ts');
    return await runChat(args, openModel, signals);
  },
});
