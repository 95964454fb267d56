import type { ArgumentsCamelCase, Argv } from 'yargs';
import type { OpenModel } from '../../run/open-model.ts';
import type { Signals } from '../process/signals.ts';

/** The parts that the program gives every command. */
export interface CommandContext {
  readonly openModel: OpenModel;
  readonly signals: Signals;
}

/** Declares the positional `model`. */
export type DeclareModel = (y: Argv) => Argv<{ model: string }>;

interface CommandDefinition<Args> {
  /** Its name and positionals; `$0` is the command without a name. */
  readonly usage: string;
  readonly description: string;
  /** Left out of `llm-host --help`. */
  readonly rare?: boolean;
  readonly options: (y: Argv, declareModel: DeclareModel) => Argv<Args>;
  /** Resolves with the exit code. Imports heavy modules itself, so that other commands start without them. */
  readonly run: (args: ArgumentsCamelCase<Args>, context: CommandContext) => number | Promise<number>;
}

/** A row of the table of commands; yargs has checked the arguments `run` is given. */
export interface Command extends Omit<CommandDefinition<unknown>, 'run'> {
  run(args: object, context: CommandContext): number | Promise<number>;
}

/** Gives `run` the types of the options. */
export function defineCommand<Args>(definition: CommandDefinition<Args>): Command {
  return definition as unknown as Command;
}
