import { subscript } from './attributes.ts';
import { binary } from './operators.ts';
import { print } from './print.ts';
import { applyTest } from './tests.ts';
import { Text } from './text.ts';
import type { Filter } from './text-filters.ts';
import {
  type Args,
  argument,
  compare,
  Dict,
  equal,
  iterate,
  List,
  lengthOf,
  numberOf,
  templateError,
  truthy,
  Undefined,
  type Value,
} from './values.ts';

/** Jinja's filters over lists. */
export const SEQUENCE_FILTERS: Readonly<Record<string, Filter>> = {
  list: value => new List(iterate(value)),
  length: value => lengthOf(value),
  count: value => lengthOf(value),
  first: value => iterate(value)[0] ?? new Undefined('No first item, sequence was empty'),
  last: value => iterate(value).at(-1) ?? new Undefined('No last item, sequence was empty'),
  reverse: value =>
    value instanceof Text
      ? Text.concat([...iterate(value)].reverse() as Text[])
      : new List([...iterate(value)].reverse(), 'generator'),
  join: (value, args) => {
    const attribute = argument(args, 1, 'attribute');
    const items = iterate(value).map(item => print(attribute === undefined ? item : pathOf(item, attribute)));
    return Text.join(items, print(argument(args, 0, 'd') ?? Text.of('')));
  },
  sort: (value, args) => sort(value, args),
  unique: (value, args) => unique(value, args),
  min: (value, args) => extreme(value, args, -1),
  max: (value, args) => extreme(value, args, 1),
  sum: (value, args) => {
    const attribute = argument(args, 0, 'attribute') ?? null;
    const items = iterate(value).map(item => (attribute === null ? item : pathOf(item, attribute)));
    return items.reduce((total, item) => binary('+', total, item), argument(args, 1, 'start') ?? 0);
  },
  batch: (value, args) => batch(value, args),
  slice: (value, args) => sliceEvenly(value, args),
  groupby: (value, args) => groupBy(value, args),
  dictsort: (value, args) => dictSort(value, args),
  selectattr: (value, args) => filterBy(value, args, true, true),
  rejectattr: (value, args) => filterBy(value, args, true, false),
  select: (value, args) => filterBy(value, args, false, true),
  reject: (value, args) => filterBy(value, args, false, false),
};

/** `a.b.0` of an item, as in `attribute=` arguments. */
export function pathOf(item: Value, attribute: Value): Value {
  if (typeof attribute === 'number') return subscript(item, attribute);
  return print(attribute)
    .value.split('.')
    .reduce<Value>(
      (value, part) => subscript(value, /^\d+$/.test(part) ? Number(part) : Text.of(part)),
      item,
    );
}

function sortKey(value: Value, caseSensitive: boolean): Value {
  return value instanceof Text && !caseSensitive ? Text.of(value.value.toLowerCase()) : value;
}

function sort(value: Value, args: Args): List {
  const reverse = truthy(argument(args, 0, 'reverse') ?? false);
  const caseSensitive = truthy(argument(args, 1, 'case_sensitive') ?? false);
  const attribute = argument(args, 2, 'attribute') ?? null;
  const key = (item: Value) => sortKey(attribute === null ? item : pathOf(item, attribute), caseSensitive);
  const items = [...iterate(value)].sort((a, b) => compare(key(a), key(b)) * (reverse ? -1 : 1));
  return new List(items);
}

function unique(value: Value, args: Args): List {
  const caseSensitive = truthy(argument(args, 0, 'case_sensitive') ?? false);
  const attribute = argument(args, 1, 'attribute') ?? null;
  const seen: Value[] = [];
  const items = iterate(value).filter(item => {
    const key = sortKey(attribute === null ? item : pathOf(item, attribute), caseSensitive);
    if (seen.some(other => equal(other, key))) return false;
    seen.push(key);
    return true;
  });
  return new List(items, 'generator');
}

function extreme(value: Value, args: Args, sign: 1 | -1): Value {
  const caseSensitive = truthy(argument(args, 0, 'case_sensitive') ?? false);
  const attribute = argument(args, 1, 'attribute') ?? null;
  const key = (item: Value) => sortKey(attribute === null ? item : pathOf(item, attribute), caseSensitive);
  const items = iterate(value);
  if (items.length === 0) return new Undefined('No aggregated item, sequence was empty');
  return items.reduce((best, item) => (compare(key(item), key(best)) * sign > 0 ? item : best));
}

function batch(value: Value, args: Args): List {
  const size = numberOf(argument(args, 0, 'linecount')) ?? 0;
  if (size < 1) throw templateError('batch: the size must be at least 1');
  const fill = argument(args, 1, 'fill_with') ?? null;
  const items = iterate(value);
  const rows: Value[] = [];
  for (let at = 0; at < items.length; at += size) {
    const row = items.slice(at, at + size);
    rows.push(new List(fill === null ? row : [...row, ...Array<Value>(size - row.length).fill(fill)]));
  }
  return new List(rows, 'generator');
}

function sliceEvenly(value: Value, args: Args): List {
  const count = numberOf(argument(args, 0, 'slices')) ?? 0;
  if (count < 1) throw templateError('slice: the number of slices must be at least 1');
  const items = iterate(value);
  const fill = argument(args, 1, 'fill_with') ?? null;
  const short = Math.floor(items.length / count);
  const longer = items.length % count;
  let at = 0;
  const slices = Array.from({ length: count }, (_, index) => {
    const row = items.slice(at, at + short + (index < longer ? 1 : 0));
    at += row.length;
    return new List(fill !== null && index >= longer && longer > 0 ? [...row, fill] : row);
  });
  return new List(slices, 'generator');
}

function groupBy(value: Value, args: Args): List {
  const attribute = argument(args, 0, 'attribute') ?? null;
  const fallback = argument(args, 1, 'default') ?? null;
  const keyed = iterate(value).map(item => {
    const key = pathOf(item, attribute);
    return [key instanceof Undefined && fallback !== null ? fallback : key, item] as const;
  });
  keyed.sort(([a], [b]) => compare(sortKey(a, false), sortKey(b, false)));
  const groups: { key: Value; items: Value[] }[] = [];
  for (const [key, item] of keyed) {
    const last = groups.at(-1);
    if (last && equal(sortKey(last.key, false), sortKey(key, false))) last.items.push(item);
    else groups.push({ key, items: [item] });
  }
  return new List(groups.map(group => new List([group.key, new List(group.items)], 'tuple')));
}

function dictSort(value: Value, args: Args): List {
  if (!(value instanceof Dict)) throw templateError('dictsort needs a mapping');
  const caseSensitive = truthy(argument(args, 0, 'case_sensitive') ?? false);
  const by = print(argument(args, 1, 'by') ?? Text.of('key')).value === 'value' ? 1 : 0;
  const reverse = truthy(argument(args, 2, 'reverse') ?? false);
  const pairs = value
    .entries()
    .sort(
      (a, b) => compare(sortKey(a[by], caseSensitive), sortKey(b[by], caseSensitive)) * (reverse ? -1 : 1),
    );
  return new List(pairs.map(pair => new List(pair, 'tuple')));
}

/** select, reject, selectattr, rejectattr: by a named test, or without one by truth. */
function filterBy(value: Value, args: Args, byAttribute: boolean, keep: boolean): List {
  const [attribute = null, ...rest] = byAttribute ? args.positional : [null, ...args.positional];
  const [test, ...testArgs] = rest;
  // A false value, even `none`, counts as an empty list here.
  const items = (truthy(value) ? iterate(value) : []).filter(item => {
    const subject = byAttribute ? pathOf(item, attribute) : item;
    const holds = test === undefined ? truthy(subject) : applyTest(print(test).value, subject, testArgs);
    return holds === keep;
  });
  return new List(items, 'generator');
}
