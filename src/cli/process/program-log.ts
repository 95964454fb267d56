import { join } from 'node:path';
import { type Log, openLog } from '../../run/log.ts';
import { stripControls } from '../../text/clean/strip-controls.ts';
import { divertConsole, divertWarnings } from './divert-output.ts';
import { stateDirectory } from './folders.ts';
import { wrapped } from './wrapped.ts';

/** The log file in the state folder, for commands without options for it; what libraries print goes there too. */
export function openProgramLog(env: NodeJS.ProcessEnv): Log {
  const log = openLog(defaultPath(env), 'info', notice);
  divertConsole(text => log.logger.warn(text));
  return log;
}

/** The log of a chat or of `serve`; what libraries print and Node's warnings go there too. */
export function openRunLog(
  { file, level = 'info' }: { readonly file?: string | undefined; readonly level?: string | undefined },
  env: NodeJS.ProcessEnv,
): Log {
  const log = openLog(file ?? defaultPath(env), level, notice);
  divertConsole(text => log.logger.warn(text));
  divertWarnings(text => log.logger.warn(text));
  return log;
}

const defaultPath = (env: NodeJS.ProcessEnv): string => join(stateDirectory(env), 'llm-host.log');

/** An error opens the log once more to tell where it stands. */
const told = new Set<string>();

function notice(message: string): void {
  if (told.has(message)) return;
  told.add(message);
  const text = stripControls(`Notice: ${message}`);
  process.stderr.write(`${wrapped(text, process.stderr, process.env)}\n`);
}
