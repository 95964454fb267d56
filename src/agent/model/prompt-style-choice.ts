import { renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from '../../errors.ts';
import type { PromptStyle } from '../../parse/formats/prompt-style.ts';
import { makeFolder } from '../../text/files/make-folder.ts';
import { readTextFile } from '../../text/files/read-text-file.ts';
import { isPlainObject } from '../../text/json/plain-object.ts';

/** Models to remember; the oldest are forgotten. */
const MAX_MODELS = 500;
const MAX_BYTES = 1024 * 1024;

/** Remembers which style of calls last worked with a model. */
export interface StyleMemory {
  /** undefined: none so far. */
  recall(model: string): string | undefined;
  remember(model: string, style: string): void;
}

/**
 * Stored in a JSON file. A missing or unreadable file counts as empty, since it only saves attempts; a failure to
 * write is reported once.
 */
export function styleFile(path: string, onProblem: (message: string) => void): StyleMemory {
  let broken = false;
  return {
    recall: model => {
      const style = readStyles(path).get(model);
      return typeof style === 'string' ? style : undefined;
    },
    remember: (model, style) => {
      if (broken) return;
      // Read again: another process may have written meanwhile.
      const styles = readStyles(path);
      if (styles.get(model) === style) return;
      styles.delete(model);
      styles.set(model, style);
      const kept = [...styles].slice(-MAX_MODELS);
      try {
        makeFolder(dirname(path));
        const draft = `${path}.${process.pid}.tmp`;
        writeFileSync(draft, `${JSON.stringify(Object.fromEntries(kept), undefined, 2)}\n`);
        renameSync(draft, path);
      } catch (error) {
        broken = true;
        onProblem(`Cannot save which prompt style works in ${path}: ${messageOf(error)}`);
      }
    },
  };
}

function readStyles(path: string): Map<string, unknown> {
  try {
    const value: unknown = JSON.parse(readTextFile(path, MAX_BYTES));
    return new Map(isPlainObject(value) ? Object.entries(value) : []);
  } catch {
    return new Map();
  }
}

/**
 * Chooses the style of calls for a model without a format of its own: first the one that last worked with it; each
 * time a call is given up, the next in the list.
 */
export class PromptStyleChoice {
  readonly #model: string;
  readonly #styles: readonly (readonly [name: string, style: PromptStyle])[];
  readonly #memory: StyleMemory;
  #index: number;

  /** `styles`: at least one, in the order to try them. */
  constructor(
    model: string,
    styles: readonly (readonly [name: string, style: PromptStyle])[],
    memory: StyleMemory,
  ) {
    this.#model = model;
    this.#styles = styles;
    this.#memory = memory;
    const known = memory.recall(model);
    this.#index = Math.max(
      0,
      styles.findIndex(([name]) => name === known),
    );
  }

  get style(): PromptStyle {
    return this.#current[1];
  }

  /** A call ran or was given up. Returns whether the style changes. */
  settle(worked: boolean): boolean {
    if (worked) this.#memory.remember(this.#model, this.#current[0]);
    else this.#index = (this.#index + 1) % this.#styles.length;
    return !worked && this.#styles.length > 1;
  }

  get #current(): readonly [name: string, style: PromptStyle] {
    return this.#styles[this.#index] as readonly [name: string, style: PromptStyle];
  }
}
