import { join } from 'node:path';
import { format } from 'node:util';
import { cleanLine, TEXT_LIMITS } from '../../mcp/server/incoming-text.ts';
import { type Log, openLog } from '../../run/log.ts';
import { stripControls } from '../../text/clean/strip-controls.ts';
import { stateDirectory } from './app.ts';
import { wrapped } from './terminal.ts';

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

/** Notices already shown: an error opens the log once more to name its path. */
const told = new Set<string>();

function notice(message: string): void {
  if (told.has(message)) return;
  told.add(message);
  const text = stripControls(`Notice: ${message}`);
  process.stderr.write(`${wrapped(text, process.stderr, process.env)}\n`);
}

const CONSOLE = ['log', 'info', 'debug', 'warn', 'error', 'trace'] as const;

type Sink = (text: string) => void;

/**
 * Sends everything this process writes to stderr or `console` to the log instead, until the returned function
 * is called: the screen belongs to the conversation.
 */
export function divertOutput(log: Sink): () => void {
  const { write } = process.stderr;
  const restoreConsole = divertConsole(log);
  process.stderr.write = (chunk: string | Uint8Array) => {
    log((typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8')).trimEnd());
    return true;
  };
  return () => {
    process.stderr.write = write;
    restoreConsole();
  };
}

/**
 * Sends what libraries print by `console` to the log, clean and cut: they quote what servers say. @returns what undoes it
 */
function divertConsole(log: Sink): () => void {
  const before = CONSOLE.map(name => [name, console[name]] as const);
  for (const name of CONSOLE)
    console[name] = (...values: unknown[]) => log(cleanLine(format(...values), TEXT_LIMITS.logLine));
  return () => {
    for (const [name, method] of before) console[name] = method;
  };
}

/** Sends Node's warnings, which bypass `process.stderr`, to the log from now on. */
function divertWarnings(log: Sink): void {
  process.removeAllListeners('warning');
  process.on('warning', warning => log(warning.stack ?? String(warning)));
}
