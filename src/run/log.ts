import { chmodSync, closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type { Logger } from 'pino';

export interface Log {
  readonly logger: Logger;
  readonly path: string;
}

const MAX_BYTES = 5 * 1024 * 1024;
const require = createRequire(import.meta.url);

/**
 * Opens the log file for appending (0600); at 5 MB it becomes `<path>.1`, replacing an older one. If that fails, the log
 * is silent and `onProblem` is told; the start does not fail.
 */
export function openLog(
  path: string,
  level: string,
  onProblem: (message: string) => void,
  maxBytes = MAX_BYTES,
): Log {
  // Loaded lazily: pino takes a fifth of a small command's start-up time.
  const { pino } = require('pino') as typeof import('pino');
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return {
      logger: pino({ level, base: { pid: process.pid } }, new RotatedFile(path, maxBytes)),
      path,
    };
  } catch (error) {
    onProblem(`no log is kept, ${path} cannot be written (${String(error)})`);
    return { logger: pino({ level: 'silent' }), path };
  }
}

/** Written synchronously, line by line, so the last line before a crash is in the file. */
class RotatedFile {
  readonly #path: string;
  readonly #maxBytes: number;
  #file: number;
  #bytes: number;

  constructor(path: string, maxBytes: number) {
    this.#path = path;
    this.#maxBytes = maxBytes;
    this.#file = openSync(path, 'a', 0o600);
    this.#bytes = fstatSync(this.#file).size;
  }

  /** A full disk costs the line, never the program. */
  write(line: string): void {
    try {
      if (this.#bytes >= this.#maxBytes) this.#rotate();
      this.#bytes += writeSync(this.#file, line);
    } catch {
      // Nowhere else to report it: the screen belongs to the conversation.
    }
  }

  #rotate(): void {
    closeSync(this.#file);
    renameSync(this.#path, `${this.#path}.1`);
    this.#file = openSync(this.#path, 'a', 0o600);
    chmodSync(this.#path, 0o600);
    this.#bytes = 0;
  }
}
