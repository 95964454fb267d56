import { renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { stripControls } from '../../text/clean/strip-controls.ts';
import { makeFolder } from '../../text/files/make-folder.ts';
import { appendText } from '../../text/files/open-for-writing.ts';
import { readTextFile } from '../../text/files/read-text-file.ts';
import { isPlainObject } from '../../text/json/plain-object.ts';
import { expandPastes, type Folded, withPastes } from './pastes.ts';

const MAX_BYTES = 1024 * 1024;
/** The limit for a file that another program has written. */
const MAX_READ_BYTES = 64 * MAX_BYTES;
const MAX_ENTRIES = 2000;

/**
 * Prompts of earlier runs, one JSON string per line, or an object with its pastes apart, in a file only its owner may read:
 * what was pasted may name no files in later runs either. A prompt is added with a single append and a full file is renamed
 * to `<path>.1`, never rewritten, so programs sharing it lose nothing.
 */
export class PromptHistory {
  readonly #path: string;
  readonly #onProblem: (message: string) => void;
  #entries: readonly string[] = [];
  /** Entries with pastes, by their whole text. */
  readonly #folded = new Map<string, Folded>();
  #warned = false;

  constructor(path: string, onProblem: (message: string) => void) {
    this.#path = path;
    this.#onProblem = onProblem;
    const lines = [...this.#read(`${path}.1`), ...this.#read(path)];
    const entries = lines.flatMap(line => parseEntry(line));
    if (entries.length < lines.length) {
      onProblem(`${lines.length - entries.length} lines of ${path} are not prompts and were skipped`);
    }
    this.#entries = entries.slice(-MAX_ENTRIES).map(entry => this.#wholeOf(entry));
  }

  /** With their pastes; oldest first. */
  get entries(): readonly string[] {
    return this.#entries;
  }

  /** An entry as it was typed; undefined: nothing in it is folded. */
  folded(entry: string): Folded | undefined {
    return this.#folded.get(entry);
  }

  /**
   * Ignores blank prompts and repeats of the last one, unless only now it is known what of it was pasted.
   * @param folded the prompt as it was typed, if it holds folded pastes
   */
  add(prompt: string, folded?: Folded): void {
    const isKnown = folded === undefined || this.#folded.has(prompt);
    if (prompt.trim() === '' || (isKnown && prompt === this.#entries.at(-1))) return;
    const entry = folded ? withPastes(folded, []) : prompt;
    this.#entries = [...this.#entries, this.#wholeOf(entry)].slice(-MAX_ENTRIES);
    try {
      makeFolder(dirname(this.#path), 0o700);
      const size = statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
      if (size > MAX_BYTES) renameSync(this.#path, `${this.#path}.1`);
      appendText(this.#path, `${JSON.stringify(entry)}\n`, 0o600);
    } catch (error) {
      this.#complain(error);
    }
  }

  /** The whole text; remembers which parts of it are folded. */
  #wholeOf(entry: string | Folded): string {
    if (typeof entry === 'string') {
      this.#folded.delete(entry);
      return entry;
    }
    const whole = expandPastes(entry);
    this.#folded.set(whole, entry);
    return whole;
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

function parseEntry(line: string): (string | Folded)[] {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'string') return [stripControls(value)];
    return isFolded(value)
      ? [{ text: stripControls(value.text), pastes: value.pastes.map(stripControls) }]
      : [];
  } catch {
    return []; // the caller counts these
  }
}

function isFolded(value: unknown): value is Folded {
  if (!isPlainObject(value)) return false;
  const { text, pastes } = value;
  return (
    typeof text === 'string' && Array.isArray(pastes) && pastes.every(paste => typeof paste === 'string')
  );
}
