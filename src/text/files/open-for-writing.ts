import { closeSync, constants, openSync, writeFileSync } from 'node:fs';

const { O_APPEND, O_CREAT, O_NONBLOCK = 0, O_TRUNC, O_WRONLY } = constants;

/**
 * Opens a file to append to or to write anew, made with `mode` if it is missing. Unlike Node's own flags it never waits: a
 * named pipe that nobody reads, which may have taken the file's place, is an error.
 */
export function openForWriting(path: string, how: 'append' | 'anew', mode: number): number {
  return openSync(path, O_WRONLY | O_CREAT | O_NONBLOCK | (how === 'append' ? O_APPEND : O_TRUNC), mode);
}

/** Appends to a file without waiting for anyone. Throws the system's error. */
export function appendText(path: string, text: string, mode = 0o666): void {
  write(openForWriting(path, 'append', mode), text);
}

/** Writes a file without waiting for anyone. Throws the system's error. */
export function writeText(path: string, text: string, mode = 0o666): void {
  write(openForWriting(path, 'anew', mode), text);
}

function write(file: number, text: string): void {
  try {
    writeFileSync(file, text);
  } finally {
    closeSync(file);
  }
}
