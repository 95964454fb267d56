import type { OpenModel } from '../run/open-model.ts';
import { commandLine } from './options/command-line.ts';
import { reportError } from './process/report-error.ts';
import type { Signals } from './process/signals.ts';

export interface ProgramParts {
  /** Loaded only when a command needs a model. */
  readonly openModel: OpenModel;
  readonly signals: Signals;
}

/** The whole program but for the process: parses the command line, runs the command, returns the exit code. */
export async function run(argv: readonly string[], { openModel, signals }: ProgramParts): Promise<number> {
  try {
    // Each command's modules are loaded only when it runs.
    return await commandLine(argv, {
      chat: async args => (await import('./commands/chat.ts')).chat(args, openModel, signals),
      tools: async args => (await import('./commands/tools.ts')).tools(args, signals),
      server: async (name, args) => (await import('./commands/server.ts')).server(name, args),
      inspect: async args => (await import('./commands/inspect.ts')).inspect(args),
      pull: async args => (await import('./commands/pull.ts')).pull(args, signals),
      list: async args => (await import('./commands/list.ts')).list(args),
      rm: async args => (await import('./commands/rm.ts')).rm(args),
      bench: async args => (await import('./commands/bench.ts')).bench(args, signals),
      serve: async args => (await import('./commands/serve.ts')).serve(args, openModel, signals),
      doctor: async args => (await import('./commands/doctor.ts')).doctor(args),
      completion: async args => (await import('./commands/completion.ts')).completion(args),
      init: async () => (await import('./commands/init.ts')).init(),
    });
  } catch (error) {
    return reportError(error);
  }
}
