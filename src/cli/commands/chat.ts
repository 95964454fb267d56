import type { Argv } from 'yargs';
import type { ChatArguments } from '../options/chat-options.ts';
import { defineCommand } from '../options/command.ts';
import { modelOptions } from '../options/model-options.ts';
import { number, text } from '../options/option-kinds.ts';

export const chat = defineCommand({
  usage: '$0 [model]',
  description:
    'chat with a model: a Hub id (org/name), an alias (granite4:1b), a folder, a .gguf file, or demo',
  options: (y, declareModel) =>
    modelOptions(declareModel(y))
      .option('prompt', { ...text('answer one prompt and exit; piped stdin is appended'), alias: 'p' })
      .option('connect', text('chat with the model of a running `llm-host serve`: its address'))
      .option('api-key', text('with --connect: the key that the server wants; @FILE, or LLM_HOST_API_KEY'))
      .option('schema', text('with -p: a file with a JSON Schema for the answer'))
      .option('ask', { type: 'boolean', describe: 'ask before each tool call' })
      .option('yes', {
        type: 'boolean',
        describe: 'do not ask before calls that may delete or overwrite something',
      })
      .conflicts('ask', 'yes')
      .option('save', text('keep the conversation in this file'))
      .option('resume', {
        type: 'string',
        describe: 'continue a saved conversation; without a file, the latest',
      })
      .option('json', { type: 'boolean', describe: 'one JSON event per line on stdout (docs/events.md)' })
      .option('plain', {
        type: 'boolean',
        describe: 'line mode on a terminal too; piped, the whole transcript on stdout, not the answers alone',
      })
      .option('notify', {
        choices: ['bell', 'osc9', 'osc777', 'off'] as const,
        requiresArg: true,
        describe: 'tell the end of a long turn on a terminal: by its bell, or a desktop notification (off)',
      })
      .option('notify-after', number('with --notify: seconds that the turn took at least (10)'))
      .option('color', { type: 'boolean', describe: '--no-color: no colours' }) as Argv<ChatArguments>,
  run: async (args, { openModel, signals }) => {
    signals.watch();
    const { runChat } = await import('../chat/run-chat.ts');
    return await runChat(args, openModel, signals);
  },
});
