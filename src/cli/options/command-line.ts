import yargs, { type Argv } from 'yargs';
import { EXIT, LlmHostError } from '../../errors.ts';
import { MODEL_ALIASES } from '../../hub/aliases.ts';
import { quoted, visible } from '../../text/clean/visible.ts';
import { nearest } from '../../text/nearest.ts';
import { VERSION } from '../process/app.ts';
import type { Command, CommandContext, DeclareModel } from './command.ts';
import { showUsual } from './declare-options.ts';
import { checkOptionValues } from './option-values.ts';

const HELP_ALL = '--help-all';
/** Shown by `llm-host --help`. */
const EXAMPLES = [
  ['llm-host demo', 'chat with a small model'],
  ['llm-host granite4:1b -p "Say hello"', 'answer one prompt'],
  ['llm-host serve granite4:1b', 'a chat page and an API on port 8080'],
] as const;
/** How a shell asks yargs for completions. */
const COMPLETE = '--get-yargs-completions';

/**
 * Parses the command line and runs its command, the first one by default. Resolves with the exit code, 0 after --help and
 * --version. Throws LlmHostError USAGE for what it does not understand, and what the command throws.
 */
export async function commandLine(
  given: readonly string[],
  commands: readonly Command[],
  context: CommandContext,
): Promise<number> {
  let code: number = EXIT.ok;
  const all = given.includes(HELP_ALL);
  const argv = (given.includes(COMPLETE) ? given : withoutDashes(given)).map(word =>
    word === HELP_ALL ? '--help' : word,
  );
  // The page of the program itself fits a screen; a command shows all of its own.
  const isShort = argv.includes('--help') && !all && !namesOf(commands).some(name => argv.includes(name));
  const declareModel = argv.includes(COMPLETE) ? offerModel : takeModel;
  const parser = yargs([...argv])
    .scriptName('llm-host')
    .usage('Usage: llm-host <model> [options]')
    // `--system.x y` would make an object of a text.
    .parserConfiguration({ 'dot-notation': false });
  let values: ReadonlyMap<string, string | undefined> = new Map();
  for (const command of commands) {
    parser.command(
      command.usage,
      // False hides it, which the types do not know.
      (isShort && command.rare ? false : command.description) as string,
      y => {
        const declared = command.options(y, declareModel);
        if (command === commands[0]) showExamples(declared);
        if (isShort) showUsual(declared);
        if (!argv.includes(COMPLETE)) values = checkOptionValues(argv, declared);
        return declared;
      },
      async args => {
        refuseTwoModels(args, values.get('model'));
        try {
          code = await command.run(args, context);
        } catch (error) {
          const others = command === commands[0] ? namesOf(commands) : [];
          const { model, connect } = args as { model?: unknown; connect?: unknown };
          // A server has said which it has.
          if (connect !== undefined) throw error;
          const { guessModel } = await import('./guess-model.ts');
          throw guessModel(error, model, others, process.env);
        }
      },
    );
  }
  parser
    .strict()
    .version('version', 'print the version', VERSION)
    .help('help', 'show help')
    .option('help-all', { type: 'boolean', describe: 'show all options' })
    .exitProcess(false)
    .fail((message, error) => {
      // yargs passes its own complaints as a message or as a YError; both are usage errors.
      if (error && error.name !== 'YError') throw error;
      throw new LlmHostError('USAGE', complaint(message ?? error?.message, argv, parser));
    });
  if (completesDefault(argv, parser)) commands[0]?.options(parser, declareModel);
  await parser.parseAsync();
  return code;
}

function showExamples(y: Argv): void {
  for (const [line, what] of EXAMPLES) y.example(line, what);
}

/** One as a word and another one as an option: yargs would take the word. */
function refuseTwoModels(args: object, option: string | undefined): void {
  const { model } = args as { readonly model?: unknown };
  if (option === undefined || model === option) return;
  const both = [model, option].map(one => quoted(one)).join(' and ');
  throw new LlmHostError('USAGE', `give one model, not ${both}`);
}

/** Words after `--` are words like those before it; yargs leaves them out. Throws LlmHostError USAGE for an option there. */
function withoutDashes(argv: readonly string[]): readonly string[] {
  const at = argv.indexOf('--');
  if (at < 0) return argv;
  const words = argv.slice(at + 1);
  const option = words.find(word => word.startsWith('-'));
  if (option !== undefined) {
    throw new LlmHostError('USAGE', `${quoted(option)} after -- is not an option and cannot be a model`, {
      hint: `Write it before --, or as a path: ${visible(`./${option}`)}`,
    });
  }
  return [...argv.slice(0, at), ...words];
}

/** The words that may be written in a model's place. Names of two letters are near every short word. */
function namesOf(commands: readonly Command[]): string[] {
  const names = commands.map(({ usage }) => usage.split(' ')[0] ?? '');
  return names.filter(name => name.length > 2);
}

/** Required as `<model>`; as `[model]`, config.json may name it instead. */
const takeModel: DeclareModel = y => y.positional('model', { type: 'string' }) as Argv<{ model: string }>;

/** For completion, under another name: yargs never offers `--model` if it is also a positional. */
const offerModel: DeclareModel = y =>
  y.positional('name', { choices: ['demo', ...MODEL_ALIASES.map(({ name }) => name)] }) as unknown as Argv<{
    model: string;
  }>;

/** Whether a shell asks for completions of the default command, whose options yargs leaves out. */
function completesDefault(argv: readonly string[], parser: Argv): boolean {
  const asked = argv.indexOf(COMPLETE);
  const { getInternalMethods } = parser as unknown as {
    getInternalMethods(): { getCommandInstance(): { getCommands(): string[] } };
  };
  const commands = getInternalMethods.call(parser).getCommandInstance().getCommands();
  // The first word is the program's own name.
  return asked >= 0 && !commands.includes(argv[asked + 2] ?? '');
}

/** A complaint of yargs in our words: a missing or an extra word, a missing value, or an unknown option with the nearest known one. */
function complaint(message: string, argv: readonly string[], parser: Argv): string {
  if (message.startsWith('Not enough non-option arguments')) {
    return `'llm-host ${argv[0] ?? ''}' needs an argument: see llm-host ${argv[0] ?? ''} --help`;
  }
  const lacking = /^Not enough arguments following: (.+)$/.exec(message)?.[1];
  if (lacking !== undefined) return `${lacking.length > 1 ? '--' : '-'}${lacking} needs a value`;
  const unknown = /^Unknown (?:argument|command)s?: (.+)$/.exec(message)?.[1]?.split(', ')[0];
  if (unknown === undefined) return message;
  const known = Object.keys((parser as unknown as { getOptions(): { key: object } }).getOptions().key);
  if (argv.includes(unknown)) {
    return `'${unknown}' is unexpected${known.includes('prompt') ? '; give a prompt with -p, in quotes' : ''}`;
  }
  const guess = nearest(
    unknown,
    known.filter(name => name.length > 1),
  );
  // yargs names `--no-x` by its `x`.
  const dashes = argv.some(word => word.startsWith(`--no-${unknown}`)) ? '--no-' : '--';
  return `unknown option ${dashes}${unknown}${guess ? `; did you mean ${dashes}${guess}?` : ''}`;
}
