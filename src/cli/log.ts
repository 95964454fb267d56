import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { destination, type Logger, pino } from 'pino';

export interface Log {
  readonly logger: Logger;
  readonly path: string;
}

/** Opens the log file for appending (0600). A folder that cannot be written gives a silent log, not a failed start. */
export function openLog(path: string, level: string): Log {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const file = destination({ dest: path, append: true, sync: true, mode: 0o600 });
    return { logger: pino({ level, base: { pid: process.pid } }, file), path };
  } catch (error) {
    process.stderr.write(`Notice: no log is kept, ${path} cannot be written (${String(error)})\n`);
    return { logger: pino({ level: 'silent' }), path };
  }
}
