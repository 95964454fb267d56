import type { Argv, Options } from 'yargs';
import { SAMPLING_NAMES, samplingField } from '../../text/sampling/fields.ts';
import { list, number } from './option-kinds.ts';
import {
  type ArgumentsOf,
  flagOf,
  OPTION_NAMES,
  type OptionCommand,
  type OptionRow,
  optionRow,
} from './option-table.ts';
import { samplingOptions } from './sampling-options.ts';

/** The sampling options that `llm-host --help` shows. */
const USUAL_SAMPLING: readonly string[] = ['temperature', 'maxTokens'];

/** Declares the options that a command has in the table, and those of sampling where it chats. */
export function declareOptions<T, Command extends OptionCommand>(
  y: Argv<T>,
  command: Command,
): Argv<T & ArgumentsOf<Command>> {
  const names = OPTION_NAMES.filter(name => optionRow(name).commands.includes(command));
  const declared = names.reduce<Argv>(
    (parser, name) => parser.option(flagOf(name).slice(2), yargsOption(optionRow(name), command)),
    y as Argv,
  );
  return (command === 'bench' ? declared : samplingOptions(declared)) as Argv<T & ArgumentsOf<Command>>;
}

function yargsOption(row: OptionRow, command: OptionCommand): Options {
  const describe = command === 'serve' ? (row.serveDoc ?? row.doc) : row.doc;
  // yargs lists the model among the words of the command.
  const group = row === optionRow('model') ? undefined : `${row.group}:`;
  const shared = { group, alias: row.alias, choices: row.choices };
  if (row.kind === 'flag') return { ...shared, type: 'boolean', describe };
  // yargs reads the numbers among choices itself.
  if (row.kind === 'number')
    return row.choices ? { ...shared, requiresArg: true, describe } : { ...shared, ...number(describe) };
  if (row.kind === 'text') return { ...shared, type: 'string', requiresArg: !row.bare, describe };
  // yargs gives [false] for a negated list.
  const coerce = (given: (string | boolean)[] | undefined) => (given?.includes(false) ? false : given);
  return { ...shared, ...list(describe), coerce: row.negatable ? coerce : undefined };
}

/** Hides what `llm-host --help` leaves to `--help-all`. */
export function showUsual(y: Argv): void {
  y.hide('version');
  for (const name of OPTION_NAMES) if (!optionRow(name).usual) y.hide(flagOf(name).slice(2));
  for (const name of SAMPLING_NAMES)
    if (!USUAL_SAMPLING.includes(name)) y.hide(samplingField(name).names.flag);
}
