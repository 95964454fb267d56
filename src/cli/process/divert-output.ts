import { format } from 'node:util';
import { cleanLine, TEXT_LIMITS } from '../../mcp/server/incoming-text.ts';

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
export function divertConsole(log: Sink): () => void {
  const before = CONSOLE.map(name => [name, console[name]] as const);
  for (const name of CONSOLE)
    console[name] = (...values: unknown[]) => log(cleanLine(format(...values), TEXT_LIMITS.logLine));
  return () => {
    for (const [name, method] of before) console[name] = method;
  };
}

/** Sends Node's warnings, which bypass `process.stderr`, to the log from now on. */
export function divertWarnings(log: Sink): void {
  process.removeAllListeners('warning');
  process.on('warning', warning => log(warning.stack ?? String(warning)));
}
