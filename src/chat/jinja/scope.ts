import { templateError, Undefined, type Value } from './values.ts';

/**
 * Nodes evaluated, loop rounds and range sizes before a template counts as runaway; a long conversation with many
 * tools needs 400,000.
 */
const MAX_STEPS = 3_000_000;
/** Characters written, including in macros and blocks. */
const MAX_WRITTEN = 1 << 26;

/** Limits the work of one rendering. */
export class Budget {
  private steps = MAX_STEPS;
  private characters = MAX_WRITTEN;

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
