import { renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { stripControls } from '../../text/clean/strip-controls.ts';
import { makeFolder } from '../../text/files/make-folder.ts';
import { appendText } from '../../text/files/open-for-writing.ts';
import { readTextFile } from '../../text/files/read-text-file.ts';

const MAX_BYTES = 1024 * 1024;
/** Of a file that this program has not written. */
const MAX_READ_BYTES = 64 * MAX_BYTES;
const MAX_ENTRIES = 2000;

/**
 * Prompts of earlier runs, one JSON string per line, in a file only its owner may read. A prompt is added with a single
 * append and a full file is renamed to `<path>.1`, never rewritten, so programs sharing it lose nothing.
 */
export class PromptHistory {
  readonly #path: string;
  readonly #onProblem: (message: string) => void;
  #entries: string[] = [];
  #warned = false;

  constructor(path: string, onProblem: (message: string) => void) {
    this.#path = path;
    this.#onProblem = onProblem;
    const lines = [...this.#read(`${path}.1`), ...this.#read(path)];
    const entries = lines.flatMap(line => parseEntry(line));
    if (entries.length < lines.length) {
      onProblem(`${lines.length - entries.length} lines of ${path} are not prompts and were skipped`);
    }
    this.#entries = entries.slice(-MAX_ENTRIES);
  }

  /** Oldest first. */
  get entries(): readonly string[] {
    return this.#entries;
  }

  /** Ignores blank prompts and repeats of the last one. */
  add(prompt: string): void {
    if (prompt.trim() === '' || prompt === this.#entries.at(-1)) return;
    this.#entries = [...this.#entries, prompt].slice(-MAX_ENTRIES);
    try {
      makeFolder(dirname(this.#path), 0o700);
      const size = statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
      if (size > MAX_BYTES) renameSync(this.#path, `${this.#path}.1`);
      appendText(this.#path, `${JSON.stringify(prompt)}\n`, 0o600);
    } catch (error) {
      this.#complain(error);
    }
  }

  #read(path: string): string[] {
    try {
      return readTextFile(path, MAX_READ_BYTES).split('\n').filter(Boolean);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.#complain(error);
      return [];
    }
  }

  #complain(error: unknown): void {
    if (!this.#warned) this.#onProblem(`prompts are not kept in ${this.#path}: ${(error as Error).message}`);
    this.#warned = true;
  }
}

function parseEntry(line: string): string[] {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'string' ? [stripControls(value)] : [];
  } catch {
    return []; // the caller counts these
  }
}
