import { STRING_METHODS } from './string-methods.ts';
import { codePointOffsets, Text } from './text.ts';
import {
  type Args,
  Attributes,
  argument,
  Callable,
  Dict,
  equal,
  Float,
  List,
  numberOf,
  templateError,
  typeName,
  Undefined,
  type Value,
} from './values.ts';

/** Methods that would modify their object, which Hugging Face's sandbox forbids. */
const MUTATORS: Readonly<Record<string, ReadonlySet<string>>> = {
  list: new Set(['append', 'clear', 'extend', 'insert', 'pop', 'remove', 'reverse', 'sort']),
  dict: new Set(['clear', 'pop', 'popitem', 'setdefault', 'update']),
};

const DICT_METHODS: Readonly<Record<string, (self: Dict, args: Args) => Value>> = {
  items: self => new List(self.entries().map(pair => new List(pair, 'tuple'))),
  keys: self => new List(self.keys()),
  values: self => new List(self.entries().map(([, value]) => value)),
  get: (self, args) => {
    const found = self.get(args.positional[0] ?? null);
    return found !== undefined ? found : (argument(args, 1, 'default') ?? null);
  },
  copy: self => Dict.of(self.entries()),
};

const LIST_METHODS: Readonly<Record<string, (self: List, args: Args) => Value>> = {
  count: (self, args) => self.items.filter(item => equal(item, args.positional[0] ?? null)).length,
  index: (self, args) => {
    const at = self.items.findIndex(item => equal(item, args.positional[0] ?? null));
    if (at < 0) throw templateError('list.index: the value is not in the list');
    return at;
  },
  copy: self => new List(self.items),
};

/** `object.name`: Python looks for a method first, so a tool parameter called `items` never hides `.items()`. */
export function attributeOf(object: Value, name: string): Value {
  refuseUndefined(object, name);
  const method = methodOf(object, name);
  if (method !== undefined) return method;
  const item = itemOf(object, Text.of(name));
  return item !== undefined ? item : missing(object, name);
}

/** `object[key]`: the item first, then an attribute of that name. */
export function subscript(object: Value, key: Value): Value {
  refuseUndefined(object, key instanceof Text ? key.value : String(key));
  const item = itemOf(object, key);
  if (item !== undefined) return item;
  const method = key instanceof Text ? methodOf(object, key.value) : undefined;
  return method ?? missing(object, key instanceof Text ? key.value : String(numberOf(key) ?? key));
}

export function slice(object: Value, start: Value, stop: Value, step: Value): Value {
  const stride = bound(step) ?? 1;
  if (stride === 0) throw templateError('slice step cannot be zero');
  if (object instanceof List && object.kind !== 'generator') {
    const indices = sliceIndices(object.items.length, bound(start), bound(stop), stride);
    return new List(
      indices.map(index => object.items[index] as Value),
      object.kind,
    );
  }
  if (object instanceof Text) {
    const offsets = codePointOffsets(object.value);
    const indices = sliceIndices(offsets.length - 1, bound(start), bound(stop), stride);
    const first = indices[0];
    const last = indices.at(-1);
    if (first === undefined || last === undefined) return Text.of('');
    if (stride === 1) return object.slice(offsets[first] as number, offsets[last + 1] as number);
    return Text.concat(
      indices.map(index => object.slice(offsets[index] as number, offsets[index + 1] as number)),
    );
  }
  if (object instanceof Undefined) throw templateError(object.what);
  throw templateError(`'${typeName(object)}' cannot be sliced`);
}

function refuseUndefined(object: Value, name: string): void {
  if (object instanceof Undefined) throw templateError(`${object.what}, so it has no '${name}'`);
}

function missing(object: Value, name: string): Undefined {
  return new Undefined(`'${typeName(object)} object' has no attribute '${name}'`);
}

function methodOf(object: Value, name: string): Value | undefined {
  if (object instanceof Attributes) return object.attribute(name);
  if (MUTATORS[typeName(object)]?.has(name)) {
    return new Callable(name, () => {
      throw templateError(`it may not modify a ${typeName(object)} with .${name}()`);
    });
  }
  if (object instanceof Text) return bind(STRING_METHODS, object, name);
  if (object instanceof Dict) return bind(DICT_METHODS, object, name);
  if (object instanceof List && object.kind !== 'generator') return bind(LIST_METHODS, object, name);
  if (object instanceof Float && name === 'is_integer') {
    return new Callable(name, () => Number.isInteger(object.value));
  }
  return undefined;
}

function bind<T>(
  table: Readonly<Record<string, (self: T, args: Args) => Value>>,
  self: T,
  name: string,
): Callable | undefined {
  const method = Object.hasOwn(table, name) ? table[name] : undefined;
  return method && new Callable(name, args => method(self, args));
}

function itemOf(object: Value, key: Value): Value | undefined {
  if (object instanceof Dict)
    return key instanceof List && key.kind !== 'tuple' ? undefined : object.get(key);
  const index = typeof key === 'number' || typeof key === 'boolean' ? Number(key) : undefined;
  if (index === undefined) return undefined;
  if (object instanceof List && object.kind !== 'generator') return object.items.at(index);
  if (!(object instanceof Text)) return undefined;
  const offsets = codePointOffsets(object.value);
  const at = index < 0 ? index + offsets.length - 1 : index;
  const start = offsets[at];
  const end = offsets[at + 1];
  return start === undefined || end === undefined ? undefined : object.slice(start, end);
}

function bound(value: Value): number | undefined {
  if (value === null) return undefined;
  if (typeof value === 'number' || typeof value === 'boolean') return Number(value);
  throw templateError('slice indices must be integers or None');
}

function sliceIndices(
  length: number,
  start: number | undefined,
  stop: number | undefined,
  step: number,
): number[] {
  const clamp = (at: number, low: number, high: number) =>
    Math.min(Math.max(at < 0 ? at + length : at, low), high);
  const indices: number[] = [];
  if (step > 0) {
    const end = stop === undefined ? length : clamp(stop, 0, length);
    for (let at = start === undefined ? 0 : clamp(start, 0, length); at < end; at += step) indices.push(at);
  } else {
    const end = stop === undefined ? -1 : clamp(stop, -1, length - 1);
    for (let at = start === undefined ? length - 1 : clamp(start, -1, length - 1); at > end; at += step)
      indices.push(at);
  }
  return indices;
}
