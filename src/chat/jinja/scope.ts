import { templateError, Undefined, type Value } from './values.ts';

/** Nodes evaluated before a template counts as runaway; the largest public one needs well under a million. */
const MAX_STEPS = 20_000_000;

/** What one rendering shares: its work budget. */
export class Budget {
  private left = MAX_STEPS;

  spend(): void {
    if (--this.left < 0) throw templateError('it did not finish within 20 million steps');
  }
}

/** A block of names inside another. */
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
