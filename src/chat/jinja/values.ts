import { LlmHostError } from '../../errors.ts';
import { codePointOffsets, Text } from './text.ts';

/** A Python float; plain numbers are Python ints. */
export class Float {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

/** A Python int beyond 2^53. Printed exactly; otherwise it counts as a float. */
export class BigInteger extends Float {
  readonly digits: bigint;
  constructor(digits: bigint) {
    super(Number(digits));
    this.digits = digits;
  }
}

/** A list, a tuple, or the items of a generator (always true, no length). */
export class List {
  readonly items: readonly Value[];
  readonly kind: 'list' | 'tuple' | 'generator';
  constructor(items: readonly Value[], kind: 'list' | 'tuple' | 'generator' = 'list') {
    this.items = items;
    this.kind = kind;
  }
}

export class Dict {
  private readonly entriesByKey = new Map<string, readonly [Value, Value]>();

  static of(entries: Iterable<readonly [Value, Value]>): Dict {
    const dict = new Dict();
    for (const [key, value] of entries) dict.set(key, value);
    return dict;
  }

  /** Only while a dict is being built: template code cannot modify one. */
  set(key: Value, value: Value): void {
    const hash = hashOf(key);
    this.entriesByKey.set(hash, [this.entriesByKey.get(hash)?.[0] ?? key, value]);
  }

  get(key: Value): Value | undefined {
    return this.entriesByKey.get(hashOf(key))?.[1];
  }

  has(key: Value): boolean {
    return this.entriesByKey.has(hashOf(key));
  }

  get size(): number {
    return this.entriesByKey.size;
  }

  entries(): (readonly [Value, Value])[] {
    return [...this.entriesByKey.values()];
  }

  keys(): Value[] {
    return this.entries().map(([key]) => key);
  }
}

/** `loop`, `cycler(...)`: values with only attributes. */
export class Attributes {
  readonly label: string;
  readonly attribute: (name: string) => Value | undefined;
  constructor(label: string, attribute: (name: string) => Value | undefined) {
    this.label = label;
    this.attribute = attribute;
  }
}

/** `namespace(...)`: the only kind of value that a template can modify. */
export class Namespace extends Attributes {
  private readonly values: Map<string, Value>;

  constructor(entries: Iterable<readonly [string, Value]>) {
    const values = new Map(entries);
    super('namespace', name => values.get(name));
    this.values = values;
  }

  set(name: string, value: Value): void {
    this.values.set(name, value);
  }
}

export interface Args {
  readonly positional: readonly Value[];
  readonly named: ReadonlyMap<string, Value>;
}

export class Callable {
  readonly label: string;
  readonly call: (args: Args) => Value;
  constructor(label: string, call: (args: Args) => Value) {
    this.label = label;
    this.call = call;
  }
}

/** A missing name; `what` is the text of Jinja's error. */
export class Undefined {
  readonly what: string;
  constructor(what: string) {
    this.what = what;
  }
}

export type Value = null | boolean | number | Float | Text | List | Dict | Attributes | Callable | Undefined;

export function templateError(message: string, hint?: string): LlmHostError {
  return new LlmHostError(
    'TEMPLATE',
    `The chat template failed: ${message}`,
    hint === undefined ? {} : { hint },
  );
}

/** The argument at `index` or named `name`. */
export function argument(args: Args, index: number, name: string): Value | undefined {
  return index < args.positional.length ? args.positional[index] : args.named.get(name);
}

export function textArgument(args: Args, index: number, name: string): Text {
  const value = argument(args, index, name);
  if (value instanceof Text) return value;
  throw templateError(`argument '${name}' must be a string, not ${typeName(value ?? null)}`);
}

export function numberOf(value: Value | undefined): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  return value instanceof Float ? value.value : undefined;
}

export function typeName(value: Value): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return 'int';
  if (value instanceof BigInteger) return 'int';
  if (value instanceof Float) return 'float';
  if (value instanceof Text) return 'str';
  if (value instanceof List) return value.kind;
  if (value instanceof Dict) return 'dict';
  if (value instanceof Attributes) return value.label;
  return value instanceof Callable ? 'function' : 'undefined';
}

export function truthy(value: Value): boolean {
  if (value === null || value instanceof Undefined) return false;
  if (typeof value === 'boolean') return value;
  const number = numberOf(value);
  if (number !== undefined) return number !== 0;
  if (value instanceof Text) return value.value.length > 0;
  if (value instanceof List) return value.kind === 'generator' || value.items.length > 0;
  return value instanceof Dict ? value.size > 0 : true;
}

/** The items of anything Python can iterate over. */
export function iterate(value: Value): readonly Value[] {
  if (value instanceof List) return value.items;
  if (value instanceof Dict) return value.keys();
  if (value instanceof Undefined) return [];
  if (value instanceof Text) {
    const offsets = codePointOffsets(value.value);
    return offsets.slice(1).map((end, index) => value.slice(offsets[index] ?? 0, end));
  }
  throw templateError(`'${typeName(value)}' object is not iterable`);
}

export function lengthOf(value: Value): number {
  if (value instanceof Text) return codePointOffsets(value.value).length - 1;
  if (value instanceof List && value.kind !== 'generator') return value.items.length;
  if (value instanceof Dict) return value.size;
  if (value instanceof Undefined) return 0;
  throw templateError(`object of type '${typeName(value)}' has no length`);
}

export function equal(a: Value, b: Value): boolean {
  const left = numberOf(a);
  if (left !== undefined) return left === numberOf(b);
  if (a instanceof Text) return b instanceof Text && a.value === b.value;
  if (a instanceof Undefined) return b instanceof Undefined;
  if (a instanceof List) {
    if (!(b instanceof List) || a.kind === 'generator' || a.kind !== b.kind) return a === b;
    return (
      a.items.length === b.items.length &&
      a.items.every((item, index) => equal(item, b.items[index] as Value))
    );
  }
  if (a instanceof Dict) {
    if (!(b instanceof Dict) || a.size !== b.size) return false;
    return a.entries().every(([key, value]) => b.has(key) && equal(value, b.get(key) as Value));
  }
  return a === b;
}

/** Negative, zero or positive; throws if Python has no order for the two. */
export function compare(a: Value, b: Value): number {
  const left = numberOf(a);
  const right = numberOf(b);
  if (left !== undefined && right !== undefined) return left - right;
  if (a instanceof Text && b instanceof Text) return compareText(a.value, b.value);
  if (a instanceof List && b instanceof List && a.kind === b.kind) {
    for (let index = 0; index < Math.min(a.items.length, b.items.length); index++) {
      const order = compare(a.items[index] as Value, b.items[index] as Value);
      if (order !== 0) return order;
    }
    return a.items.length - b.items.length;
  }
  throw templateError(`'<' not supported between instances of '${typeName(a)}' and '${typeName(b)}'`);
}

/** By code points, as Python does; UTF-16 order differs beyond U+FFFF. */
function compareText(a: string, b: string): number {
  const left = Array.from(a, char => char.codePointAt(0) as number);
  const right = Array.from(b, char => char.codePointAt(0) as number);
  const at = left.findIndex((code, index) => code !== right[index]);
  return at < 0 || at >= right.length
    ? left.length - right.length
    : (left[at] as number) - (right[at] as number);
}

function hashOf(key: Value): string {
  const number = numberOf(key);
  if (number !== undefined) return `n${number}`;
  if (key instanceof Text) return `s${key.value}`;
  if (key === null) return 'N';
  if (key instanceof Undefined) return 'U';
  if (key instanceof List && key.kind === 'tuple') return `t(${key.items.map(hashOf).join('\0')})`;
  throw templateError(`unhashable type: '${typeName(key)}'`);
}
