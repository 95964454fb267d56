import yargs, { type Argv } from 'yargs';
import { EXIT, LlmHostError } from '../../errors.ts';
import { QUANTIZE_CHOICES } from '../../model/weights/quantize-choices.ts';
import { nearest } from '../../text/nearest.ts';
import type { BenchArguments } from '../commands/bench.ts';
import type { InspectArguments } from '../commands/inspect.ts';
import type { PullArguments } from '../commands/pull.ts';
import type { RmArguments } from '../commands/rm.ts';
import type { ServerOptions } from '../commands/server.ts';
import type { ToolsOptions } from '../commands/tools.ts';
import { VERSION } from '../process/version.ts';
import { benchOptions } from './bench-options.ts';
import type { ChatArguments } from './chat-options.ts';
import { chatOptions, modelOptions, REVISION, serveOptions } from './command-options.ts';
import type { ServeArguments } from './serve-options.ts';

/** How a shell asks yargs what fits. */
const COMPLETE = '--get-yargs-completions';

/** What each command does; all return the exit code. */
export interface Commands {
  chat(args: ChatArguments): Promise<number>;
  tools(args: ToolsOptions): Promise<number>;
  server(name: 'calculator' | 'files' | 'research', args: ServerOptions): Promise<number>;
  inspect(args: InspectArguments): Promise<number>;
  pull(args: PullArguments): Promise<number>;
  list(args: { readonly json?: boolean | undefined }): Promise<number>;
  rm(args: RmArguments): Promise<number>;
  bench(args: BenchArguments): Promise<number>;
  serve(args: ServeArguments): Promise<number>;
  doctor(args: { readonly json?: boolean | undefined }): Promise<number>;
  completion(args: { readonly shell?: string | undefined }): Promise<number>;
  init(): Promise<number>;
}

/**
 * Parses the command line and runs its command; returns the exit code, 0 after --help and --version. Throws LlmHostError
 * USAGE for what it does not understand, and what the command throws.
 */
export async function commandLine(argv: readonly string[], commands: Commands): Promise<number> {
  let code: number = EXIT.ok;
  const finish = async (command: Promise<number>) => {
    code = await command;
  };
  const modelName = argv.includes(COMPLETE) ? offeredModelName : givenModelName;
  const parser = yargs([...argv])
    .scriptName('llm-host')
    .usage('Usage: llm-host <model> [options]')
    .command(
      '$0 [model]',
      'chat with a model: a Hub id (org/name), a folder, a .gguf file, or demo',
      y => chatOptions(modelName(y)),
      args => finish(commands.chat(args as unknown as ChatArguments)),
    )
    .command(
      'tools',
      "start the servers of mcp.json and print each one's state and tools",
      y =>
        y
          .option('mcp', {
            type: 'string',
            array: true,
            requiresArg: true,
            describe: 'mcp file (repeatable)',
          })
          .option('login', {
            type: 'string',
            requiresArg: true,
            describe: 'log in to a server with a url, and keep the login',
          }),
      args => finish(commands.tools({ mcp: args.mcp ?? [], login: args.login })),
    )
    .command(
      'server <name>',
      'run a bundled MCP server on stdio',
      y =>
        y
          .positional('name', { choices: ['calculator', 'files', 'research'] as const, demandOption: true })
          .option('root', {
            type: 'string',
            requiresArg: true,
            describe: 'folder that the files server may use',
          })
          .option('base-url', {
            type: 'string',
            requiresArg: true,
            describe: 'address of the arXiv API, for the research server',
          }),
      args => finish(commands.server(args.name, args)),
    )
    .command(
      'inspect <model>',
      'what headers and config say: family, size, quantization, memory, predicted speed',
      y =>
        modelName(y)
          .option('context', {
            type: 'number',
            alias: 'ctx',
            requiresArg: true,
            describe: 'tokens to count memory for',
          })
          .option('quantize', { type: 'string', choices: QUANTIZE_CHOICES, describe: 'as if loaded so' })
          .option('json', { type: 'boolean', describe: 'as JSON' }),
      args => finish(commands.inspect(args)),
    )
    .command(
      'pull <id>',
      'download a model of the Hub (org/name) into the cache, or go on with it',
      y =>
        y
          .positional('id', { type: 'string', demandOption: true })
          .option('revision', REVISION)
          .option('json', { type: 'boolean', describe: 'the result as JSON' }),
      args => finish(commands.pull(args)),
    )
    .command(
      'list',
      'list the models in the cache, with their sizes',
      y => y.option('json', { type: 'boolean', describe: 'as JSON' }),
      args => finish(commands.list(args)),
    )
    .command(
      'rm <id>',
      'remove a model, or one revision of it, from the cache',
      y => y.positional('id', { type: 'string', demandOption: true }).option('revision', REVISION),
      args => finish(commands.rm(args)),
    )
    .command(
      'bench <model>',
      'measure the model: tokens per second, time to first token, memory; beside mlx-lm and llama.cpp',
      y => benchOptions(modelName(y)),
      args => finish(commands.bench(args)),
    )
    .command(
      'serve [model]',
      'answer HTTP as OpenAI and Ollama do (docs/serve.md)',
      y => serveOptions(modelOptions(modelName(y))),
      args => finish(commands.serve(args as unknown as ServeArguments)),
    )
    .command(
      'doctor',
      'check what the program needs: Node, engine, memory, cache, Hub, configuration, servers',
      y => y.option('json', { type: 'boolean', describe: 'as JSON' }),
      args => finish(commands.doctor(args)),
    )
    .command(
      'completion [shell]',
      'print the completion script of a shell: bash, zsh or fish',
      y => y.positional('shell', { type: 'string', choices: ['bash', 'zsh', 'fish'] as const }),
      args => finish(commands.completion(args)),
    )
    .command('init', 'write config.json and mcp.json where they are missing', {}, () =>
      finish(commands.init()),
    )
    .strict()
    .version(VERSION)
    .help()
    .exitProcess(false)
    .fail((message, error) => {
      // yargs's own complaints are the user's to mend, however it hands them over.
      if (error && error.name !== 'YError') throw error;
      throw new LlmHostError('USAGE', complaint(message ?? error?.message, argv, parser));
    });
  if (completesChat(argv, parser)) chatOptions(modelName(parser));
  await parser.parseAsync();
  return code;
}

type ModelName = (y: Argv) => Argv<{ model: string }>;

/** `<model>` demands it; behind `[model]` config.json may name it instead. */
const givenModelName: ModelName = y => y.positional('model', { type: 'string' }) as Argv<{ model: string }>;

/** For a shell that asks: under a name of its own, since yargs never offers `--model` where that is a positional too. */
const offeredModelName: ModelName = y =>
  y.positional('name', { choices: ['demo'] }) as unknown as Argv<{ model: string }>;

/** True when a shell asks what fits (src/cli/commands/completion.ts) behind no command: yargs passes over the default one. */
function completesChat(argv: readonly string[], parser: Argv): boolean {
  const asked = argv.indexOf(COMPLETE);
  const { getInternalMethods } = parser as unknown as {
    getInternalMethods(): { getCommandInstance(): { getCommands(): string[] } };
  };
  const commands = getInternalMethods.call(parser).getCommandInstance().getCommands();
  // The first word is the program's own name.
  return asked >= 0 && !commands.includes(argv[asked + 2] ?? '');
}

/** What yargs complains of, in our words: a missing or an extra word, or an unknown option with the nearest known one. */
function complaint(message: string, argv: readonly string[], parser: Argv): string {
  if (message.startsWith('Not enough non-option arguments')) {
    return `'llm-host ${argv[0] ?? ''}' needs one more word: see llm-host ${argv[0] ?? ''} --help`;
  }
  const unknown = /^Unknown (?:argument|command)s?: (.+)$/.exec(message)?.[1]?.split(', ')[0];
  if (unknown === undefined) return message;
  if (argv.includes(unknown)) return `'${unknown}' is one word too many; a prompt goes behind -p, in quotes`;
  const known = Object.keys((parser as unknown as { getOptions(): { key: object } }).getOptions().key);
  const guess = nearest(unknown, known);
  return `unknown option --${unknown}${guess ? `; did you mean --${guess}?` : ''}`;
}
