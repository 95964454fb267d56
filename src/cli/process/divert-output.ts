import { format } from 'node:util';

const CONSOLE = ['log', 'info', 'debug', 'warn', 'error', 'trace'] as const;

/**
 * Sends everything this process writes to stderr or `console` to the log instead, until the returned function
 * is called: the screen belongs to the conversation.
 */
export function divertOutput(log: (text: string) => void): () => void {
  const { write } = process.stderr;
  const before = CONSOLE.map(name => [name, console[name]] as const);
  process.stderr.write = (chunk: string | Uint8Array) => {
    log((typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8')).trimEnd());
    return true;
  };
  for (const name of CONSOLE) console[name] = (...values: unknown[]) => log(format(...values));
  return () => {
    process.stderr.write = write;
    for (const [name, method] of before) console[name] = method;
  };
}

/** Sends Node's warnings, which bypass `process.stderr`, to the log from now on. */
export function divertWarnings(log: (text: string) => void): void {
  process.removeAllListeners('warning');
  process.on('warning', warning => log(warning.stack ?? String(warning)));
}
