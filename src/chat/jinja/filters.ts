import { floatText, print } from './print.ts';
import { pathOf, SEQUENCE_FILTERS } from './sequence-filters.ts';
import { Text } from './text.ts';
import { defaultTo, type Filter, itemsOf, TEXT_FILTERS } from './text-filters.ts';
import {
  type Args,
  argument,
  Float,
  iterate,
  List,
  numberOf,
  templateError,
  truthy,
  typeName,
  Undefined,
  type Value,
} from './values.ts';

const FILTERS: Readonly<Record<string, Filter>> = {
  ...TEXT_FILTERS,
  ...SEQUENCE_FILTERS,
  default: defaultTo,
  d: defaultTo,
  items: itemsOf,
  map: (value, args) => map(value, args),
  attr: (value, args) => pathOf(value, argument(args, 0, 'name') ?? null),
  int: (value, args) => toInt(value, args),
  float: (value, args) => toFloat(value, args),
  abs: value => {
    const number = numberOf(value);
    if (number === undefined) throw templateError(`abs needs a number, not ${typeName(value)}`);
    return value instanceof Float ? new Float(Math.abs(number)) : Math.abs(number);
  },
  round: (value, args) => round(value, args),
};

export function applyFilter(name: string, value: Value, args: Args): Value {
  const filter = Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined;
  if (!filter) throw templateError(`no filter named '${name}'`);
  return filter(value, args);
}

function map(value: Value, args: Args): List {
  if (!truthy(value)) return new List([], 'generator');
  const attribute = args.named.get('attribute');
  if (attribute !== undefined) {
    const fallback = args.named.get('default');
    const items = iterate(value).map(item => {
      const found = pathOf(item, attribute);
      return found instanceof Undefined && fallback !== undefined ? fallback : found;
    });
    return new List(items, 'generator');
  }
  const [name, ...positional] = args.positional;
  if (!(name instanceof Text)) throw templateError('map needs the name of a filter or attribute=');
  const items = iterate(value).map(item => applyFilter(name.value, item, { positional, named: args.named }));
  return new List(items, 'generator');
}

function toInt(value: Value, args: Args): Value {
  const fallback = argument(args, 0, 'default') ?? 0;
  const base = numberOf(argument(args, 1, 'base')) ?? 10;
  const number = numberOf(value);
  if (number !== undefined) return Number.isFinite(number) ? Math.trunc(number) : fallback;
  if (!(value instanceof Text)) return fallback;
  const text = value.value.trim().replaceAll('_', '');
  if (base !== 10) {
    const parsed = Number.parseInt(text, base);
    return Number.isNaN(parsed) ? fallback : parsed;
  }
  return /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i.test(text) ? Math.trunc(Number(text)) : fallback;
}

function toFloat(value: Value, args: Args): Value {
  const fallback = argument(args, 0, 'default') ?? new Float(0);
  const number = numberOf(value);
  if (number !== undefined) return new Float(number);
  const text = value instanceof Text ? value.value.trim() : '';
  return text !== '' && !Number.isNaN(Number(text)) ? new Float(Number(text)) : fallback;
}

/** Always a float, rounding half to even on the decimal text, like Python. */
function round(value: Value, args: Args): Float {
  const number = numberOf(value);
  if (number === undefined) throw templateError(`round needs a number, not ${typeName(value)}`);
  const precision = numberOf(argument(args, 0, 'precision')) ?? 0;
  const method = print(argument(args, 1, 'method') ?? Text.of('common')).value;
  const scale = 10 ** precision;
  if (method === 'ceil') return new Float(Math.ceil(number * scale) / scale);
  if (method === 'floor') return new Float(Math.floor(number * scale) / scale);
  const below = Math.floor(number * scale);
  const isTie = precision === 0 && floatText(number * scale).endsWith('.5');
  if (isTie) return new Float((below % 2 === 0 ? below : below + 1) / scale);
  return new Float(
    precision > 0 ? Number(number.toFixed(Math.min(precision, 100))) : Math.round(number * scale) / scale,
  );
}
