import { PEERS } from '../../bench/peers.ts';
import { LlmHostError } from '../../errors.ts';
import { defineCommand } from '../options/command.ts';
import { declareOptions } from '../options/declare-options.ts';
import { json, list, number, text } from '../options/option-kinds.ts';

/** Options that only --tools has. */
const ONLY_WITH_TOOLS = ['all', 'categories', 'mode', 'half', 'again'] as const;

/** Comma-separated values and repeated options form one list. */
const commas = (describe: string) =>
  ({ ...list(describe), coerce: (given?: string[]) => given?.join() }) as const;

export const bench = defineCommand({
  usage: 'bench <model>',
  description: 'measure speed, or how well it calls tools',
  options: (y, declareModel) =>
    declareOptions(declareModel(y), 'bench')
      .option('prompt-tokens', commas('prompt lengths, comma-separated (default 512), such as 128,512,4096'))
      .option(
        'generate',
        number(
          'tokens to generate after each prompt (default 128; with --clients 64, with --tools at most 512)',
        ),
      )
      .option(
        'runs',
        number('runs, each in a new process (default 5); with --clients: requests per client (default 4)'),
      )
      .option('clients', commas('measure a server with these numbers of concurrent clients, such as 1,2,4,8'))
      .option('threads', number('threads of each engine (default: its own choice)'))
      .option('turns', commas('measure a second turn after this many tokens of history, such as 100,4000'))
      .option('graph', { type: 'boolean', describe: 'count and time the graph of a decoding step' })
      .option('compare', commas(`also measure: ${PEERS.join(',')}`))
      .option('mlx-lm-model', text('folder with the same weights, for mlx-lm'))
      .option('llama-cpp-model', text('.gguf file with the same weights, for llama.cpp'))
      .option('tools', {
        type: 'string',
        requiresArg: true,
        describe: 'measure tool calls on your own questions in this folder',
      })
      .option('all', {
        type: 'boolean',
        describe: 'with --tools: all questions instead of a sample',
      })
      .option('categories', commas('with --tools: only these categories, comma-separated'))
      .option('mode', commas('with --tools: only these modes of free,repair,held (default all)'))
      .option('half', {
        choices: ['a', 'b'] as const,
        requiresArg: true,
        describe: 'with --tools: only this half of the questions',
      })
      .option('again', {
        type: 'boolean',
        describe: 'with --tools: ask questions again that have been answered before',
      })
      .option('json', { ...json, describe: 'print the report as JSON' })
      .option('html', text('write the report to this HTML file'))
      .check(args => {
        const alone = ONLY_WITH_TOOLS.find(name => args[name] !== undefined);
        if (args.tools === undefined && alone !== undefined)
          throw new LlmHostError('USAGE', `--${alone} needs --tools`);
        return true;
      }),
  run: async (args, context) => {
    const { signals } = context;
    if (args.tools !== undefined) {
      const { runToolsBench } = await import('../bench/run-tools-bench.ts');
      return await runToolsBench({ ...args, tools: args.tools }, context);
    }
    if (args.clients !== undefined) {
      const { runClientsBench } = await import('../bench/run-clients-bench.ts');
      return await runClientsBench({ ...args, clients: args.clients }, signals);
    }
    const { runBench } = await import('../bench/run-bench.ts');
    return await runBench(args, signals);
  },
});
