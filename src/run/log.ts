import { chmodSync, closeSync, existsSync, fstatSync, renameSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type { Logger } from 'pino';
import { messageOf } from '../errors.ts';
import { makeFolder } from '../text/files/make-folder.ts';
import { openForWriting } from '../text/files/open-for-writing.ts';

export interface Log {
  readonly logger: Logger;
  readonly path: string;
}

const MAX_BYTES = 5 * 1024 * 1024;
/** A longer line is cut, whoever wrote it: servers, models and files decide what is in it. */
const MAX_LINE_BYTES = 4096;
const require = createRequire(import.meta.url);

/**
 * Opens the log file for appending (0600); at 5 MB it becomes `<path>.1`, replacing an older one. If that fails, the log
 * is silent and `onProblem` is called; the start does not fail.
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
    makeFolder(dirname(path), 0o700);
    return {
      logger: pino({ level, base: { pid: process.pid } }, new RotatedFile(path, maxBytes)),
      path,
    };
  } catch (error) {
    onProblem(`no log is kept, ${path} cannot be written: ${messageOf(error)}`);
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
    this.#file = openForWriting(path, 'append', 0o600);
    this.#bytes = fstatSync(this.#file).size;
  }

  /** A full disk costs the line, never the program. */
  write(line: string): void {
    try {
      if (this.#bytes >= this.#maxBytes) this.#rotate();
    } catch {
      // The present file stays in use.
    }
    try {
      this.#bytes += writeSync(this.#file, Buffer.byteLength(line) > MAX_LINE_BYTES ? cutLine(line) : line);
    } catch {
      // Nowhere else to report it: the screen belongs to the conversation.
    }
  }

  /**
   * Continues with the present file for another `maxBytes` if there cannot be a new one; what is closed too early would be
   * written to by its number, which is soon that of another file.
   */
  #rotate(): void {
    this.#bytes = 0;
    const full = this.#file;
    // Not a device or a pipe.
    if (!fstatSync(full).isFile()) return;
    makeFolder(dirname(this.#path), 0o700);
    if (existsSync(this.#path)) renameSync(this.#path, `${this.#path}.1`);
    this.#file = openForWriting(this.#path, 'append', 0o600);
    closeSync(full);
    chmodSync(this.#path, 0o600);
  }
}

/** Shortens the texts of a JSON line until it fits; lists and objects are dropped. */
function cutLine(line: string): string {
  const all = Object.entries(JSON.parse(line) as Readonly<Record<string, unknown>>);
  const plain = all.filter(([, value]) => typeof value !== 'object');
  let chars = MAX_LINE_BYTES;
  let cut: string;
  do {
    chars = Math.floor(chars * 0.8);
    const fields = plain.map(([key, value]) => [key, shortened(value, chars)]);
    cut = `${JSON.stringify({ ...Object.fromEntries(fields), cutFromBytes: Buffer.byteLength(line) })}\n`;
  } while (Buffer.byteLength(cut) > MAX_LINE_BYTES && chars > 0);
  return cut;
}

function shortened(value: unknown, chars: number): unknown {
  return typeof value === 'string' ? value.slice(0, chars).toWellFormed() : value;
}
