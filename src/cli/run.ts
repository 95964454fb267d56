import yargs, { type Argv } from 'yargs';
import { EXIT, LlmHostError } from '../errors.ts';
import { QUANTIZE_CHOICES } from '../model/quantization.ts';
import { nearest } from '../text/nearest.ts';
import { benchOptions } from './bench-options.ts';
import type { ChatArguments } from './chat-options.ts';
import type { OpenModel } from './open-model.ts';
import { reportError } from './report-error.ts';
import type { ServeArguments } from './serve-options.ts';
import type { Signals } from './signals.ts';
import { VERSION } from './version.ts';

export interface ProgramParts {
  /** Loaded only when a command needs a model. */
  readonly openModel: OpenModel;
  readonly signals: Signals;
}

const REVISION = {
  type: 'string',
  requiresArg: true,
  describe: 'branch, tag or commit, for a model of the Hub (main)',
} as const;

/** The whole program but for the process: parses the command line, runs the command, returns the exit code. */
export async function run(argv: readonly string[], parts: ProgramParts): Promise<number> {
  let code: number = EXIT.ok;
  const finish = (command: Promise<number>) =>
    command.then(result => {
      code = result;
    });
  const parser = yargs([...argv])
    .scriptName('llm-host')
    .usage('Usage: llm-host <model> [options]')
    .command(
      '$0 [model]',
      'chat with a model: a Hub id (org/name), a folder, a .gguf file, or demo',
      y => chatOptions(y.positional('model', { type: 'string' })),
      args => finish(runChat(args as unknown as ChatArguments, parts)),
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
      args =>
        finish(
          import('./commands/tools.ts').then(({ tools }) =>
            tools({ mcp: args.mcp ?? [], login: args.login }, parts.signals),
          ),
        ),
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
      args => finish(import('./commands/server.ts').then(({ server }) => server(args.name, args))),
    )
    .command(
      'inspect <model>',
      'what headers and config say: family, size, quantisation, memory, predicted speed',
      y =>
        y
          .positional('model', { type: 'string', demandOption: true })
          .option('context', {
            type: 'number',
            alias: 'ctx',
            requiresArg: true,
            describe: 'tokens to count memory for',
          })
          .option('quantize', { type: 'string', choices: QUANTIZE_CHOICES, describe: 'as if loaded so' })
          .option('json', { type: 'boolean', describe: 'as JSON' }),
      args => finish(import('./commands/inspect.ts').then(({ inspect }) => inspect(args))),
    )
    .command(
      'pull <id>',
      'download a model of the Hub (org/name) into the cache, or go on with it',
      y =>
        y
          .positional('id', { type: 'string', demandOption: true })
          .option('revision', REVISION)
          .option('json', { type: 'boolean', describe: 'the result as JSON' }),
      args => finish(import('./commands/pull.ts').then(({ pull }) => pull(args, parts.signals))),
    )
    .command(
      'list',
      'list the models in the cache, with their sizes',
      y => y.option('json', { type: 'boolean', describe: 'as JSON' }),
      args => finish(import('./commands/list.ts').then(({ list }) => list(args))),
    )
    .command(
      'rm <id>',
      'remove a model, or one revision of it, from the cache',
      y => y.positional('id', { type: 'string', demandOption: true }).option('revision', REVISION),
      args => finish(import('./commands/rm.ts').then(({ rm }) => rm(args))),
    )
    .command(
      'bench <model>',
      'measure the model: tokens per second, time to first token, memory; beside mlx-lm and llama.cpp',
      benchOptions,
      args => finish(import('./commands/bench.ts').then(({ bench }) => bench(args, parts.signals))),
    )
    .command(
      'serve [model]',
      'answer HTTP as OpenAI and Ollama do (docs/serve.md)',
      y => serveOptions(modelOptions(y.positional('model', { type: 'string' }))),
      args =>
        finish(
          import('./commands/serve.ts').then(({ serve }) =>
            serve(args as unknown as ServeArguments, parts.openModel, parts.signals),
          ),
        ),
    )
    .command(
      'doctor',
      'check what the program needs: Node, engine, memory, cache, Hub, configuration, servers',
      y => y.option('json', { type: 'boolean', describe: 'as JSON' }),
      args => finish(import('./commands/doctor.ts').then(({ doctor }) => doctor(args))),
    )
    .command(
      'completion [shell]',
      'print the completion script of a shell: bash, zsh or fish',
      y => y.positional('shell', { type: 'string', choices: ['bash', 'zsh', 'fish'] as const }),
      args => finish(import('./commands/completion.ts').then(({ completion }) => completion(args))),
    )
    .command('init', 'write config.json and mcp.json where they are missing', {}, () =>
      finish(import('./commands/init.ts').then(({ init }) => init())),
    )
    .strictOptions()
    .version(VERSION)
    .help()
    .exitProcess(false)
    .fail((message, error) => {
      throw error ?? new LlmHostError('USAGE', withNearest(message, parser));
    });
  try {
    await parser.parseAsync();
  } catch (error) {
    return reportError(error);
  }
  return code;
}

async function runChat(args: ChatArguments, parts: ProgramParts): Promise<number> {
  const { chat } = await import('./commands/chat.ts');
  return await chat(args, parts.openModel, parts.signals);
}

const text = (describe: string) => ({ type: 'string', requiresArg: true, describe }) as const;
const number = (describe: string) => ({ type: 'number', requiresArg: true, describe }) as const;
const files = (describe: string) =>
  ({ type: 'string', array: true, requiresArg: true, nargs: 1, describe }) as const;

/** Options of every command that runs a model. */
function modelOptions(y: Argv): Argv {
  return y
    .option('model', { ...text('same as the positional'), alias: 'm' })
    .option('revision', REVISION)
    .option('backend', {
      choices: ['mlx', 'ollama'] as const,
      requiresArg: true,
      describe: 'what runs the model; ollama:NAME is the same as --backend ollama NAME',
    })
    .option('ollama-base-url', text('address of Ollama (http://localhost:11434)'))
    .option('config', files('config file, or an mcp file (repeatable)'))
    .option('mcp', {
      ...files('mcp file (repeatable); --no-mcp: no servers'),
      // yargs gives [false] for the negated form of a list.
      coerce: (given: (string | boolean)[] | undefined) => (given?.includes(false) ? false : given),
    })
    .option('system', text('system prompt, or @FILE'))
    .option('temperature', number('0 = greedy'))
    .option('top-p', number('nucleus sampling, above 0 to 1'))
    .option('top-k', number('0 = off'))
    .option('min-p', number('0 = off'))
    .option('repetition-penalty', number('1 = off; over the prompt and the reply'))
    .option('presence-penalty', number('-2 to 2, 0 = off; over the reply'))
    .option('frequency-penalty', number('-2 to 2, 0 = off; over the reply, for each time'))
    .option('seed', number('whole number; the same seed gives the same tokens'))
    .option('max-tokens', number('tokens per reply'))
    .option('stop', files('text that ends the reply (repeatable)'))
    .option('context', number('tokens of context'))
    .option('think', {
      type: 'boolean',
      describe: 'think before answering; --no-think: do not (default: as the model does)',
    })
    .option('kv-bits', {
      choices: [4, 8] as const,
      requiresArg: true,
      describe: 'quantise the KV cache: less memory per token',
    })
    .option('adapter', files('folder of a LoRA adapter (repeatable)'))
    .option('quantize', {
      ...text('quantise while loading: bits, or a mode'),
      choices: QUANTIZE_CHOICES,
    })
    .option('save-quantized', text('with --quantize: a new folder for the result'))
    .option('tool-timeout', number('seconds per tool call (90)'))
    .option('tools', files('offer only these tools; * and ? are wildcards (repeatable)'))
    .option('log-level', {
      choices: ['debug', 'info', 'warn', 'error', 'silent'] as const,
      describe: 'of the log file',
    })
    .option('log-file', text('default: llm-host.log in the state folder'))
    .option('debug', { type: 'boolean', describe: 'the same as --log-level debug' })
    .option('quiet', { type: 'boolean', describe: 'no start-up lines' });
}

function chatOptions(y: Argv): Argv {
  return modelOptions(y)
    .option('prompt', { ...text('answer one prompt and exit; piped stdin is appended'), alias: 'p' })
    .option('schema', text('with -p: a file with the JSON Schema that the answer has to fit'))
    .option('ask', { type: 'boolean', describe: 'ask before each tool call' })
    .option('save', text('keep the conversation in this file'))
    .option('resume', {
      type: 'string',
      describe: 'go on with a saved conversation; without a file: the latest',
    })
    .option('json', { type: 'boolean', describe: 'one JSON event a line on stdout (docs/events.md)' })
    .option('plain', { type: 'boolean', describe: 'line mode on a terminal too' })
    .option('color', { type: 'boolean', describe: '--no-color: no colours' });
}

function serveOptions(y: Argv): Argv {
  return y
    .option('host', text('address to listen on (127.0.0.1); any other needs a key'))
    .option('port', number('8080; 0 = any that is free'))
    .option('api-key', text('asked of every client; @FILE, or LLM_HOST_API_KEY'))
    .option('allow-host', files('further name by which clients may ask (repeatable)'))
    .option('cors-origin', files('origin of pages that may ask, or * (repeatable)'))
    .option('max-queue', number('requests at a time (64); more are answered with 429'))
    .option('request-timeout', number('seconds per request, waiting and tools included (600)'))
    .option('drain-timeout', number('seconds that running requests get at the end (20)'))
    .option('max-body', number("megabytes of a request's body (10)"))
    .option('cache-mb', number('megabytes for the caches of conversations (1024)'));
}

/** Adds the nearest known option to yargs's complaint about an unknown one. */
function withNearest(message: string, parser: Argv): string {
  const unknown = /^Unknown arguments?: (.+)$/.exec(message)?.[1]?.split(', ')[0];
  if (unknown === undefined) return message;
  const known = Object.keys((parser as unknown as { getOptions(): { key: object } }).getOptions().key);
  const guess = nearest(unknown, known);
  return `unknown option --${unknown}${guess ? `; did you mean --${guess}?` : ''}`;
}
