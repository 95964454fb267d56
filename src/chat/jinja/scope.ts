import { Text } from './text.ts';
import { List, templateError, Undefined, type Value } from './values.ts';

/**
 * Nodes evaluated, loop rounds and range sizes before a template counts as runaway; a long conversation with many
 * tools needs 400,000.
 */
const MAX_STEPS = 3_000_000;
/** Characters written, including in macros and blocks. */
const MAX_WRITTEN = 1 << 26;

/** Items of all lists, and characters of all strings, that expressions made: each may be kept. */
const MAX_ITEMS_MADE = 10_000_000;
const MAX_CHARACTERS_MADE = 1 << 28;

/** Limits the work of one rendering. */
export class Budget {
  private steps = MAX_STEPS;
  private characters = MAX_WRITTEN;
  private itemsMade = 0;
  private charactersMade = 0;

  made(value: Value): void {
    if (value instanceof List) this.itemsMade += value.items.length;
    else if (value instanceof Text) this.charactersMade += value.value.length;
    if (this.itemsMade > MAX_ITEMS_MADE) throw templateError('its lists grew beyond 10 million items');
    if (this.charactersMade > MAX_CHARACTERS_MADE) {
      throw templateError('its strings grew beyond 256 million characters');
    }
  }

  spend(steps = 1): void {
    this.steps -= steps;
    if (this.steps < 0) throw templateError('it did not finish within 3 million steps');
  }

  write(length: number): void {
    this.characters -= length;
    if (this.characters < 0) throw templateError('it wrote more than 64 million characters');
  }
}

/** Nested scopes of names. */
export class Scope {
  readonly budget: Budget;
  private readonly parent: Scope | undefined;
  private readonly names = new Map<string, Value>();

  constructor(parent?: Scope) {
    this.parent = parent;
    this.budget = parent?.budget ?? new Budget();
  }

  set(name: string, value: Value): void {
    this.names.set(name, value);
  }

  get(name: string): Value {
    for (let scope: Scope | undefined = this; scope; scope = scope.parent) {
      const value = scope.names.get(name);
      if (value !== undefined) return value;
    }
    return new Undefined(`'${name}' is undefined`);
  }
}
