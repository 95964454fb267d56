import { percentFormat } from './operators.ts';
import { print, toJson } from './print.ts';
import { capitalize, repeat, replaceText } from './string-methods.ts';
import { strip, Text } from './text.ts';
import {
  type Args,
  argument,
  Dict,
  List,
  numberOf,
  templateError,
  textArgument,
  truthy,
  Undefined,
  type Value,
} from './values.ts';

export type Filter = (value: Value, args: Args) => Value;

/** Jinja filters that return strings. */
export const TEXT_FILTERS: Readonly<Record<string, Filter>> = {
  string: value => print(value),
  safe: value => print(value).asMarkup(),
  escape: value => print(value).escaped(),
  e: value => print(value).escaped(),
  tojson: (value, args) => tojson(value, args),
  trim: (value, args) => {
    const chars = argument(args, 0, 'chars') ?? null;
    return strip(print(value), 'both', chars === null ? undefined : print(chars).value);
  },
  upper: value => rewrite(value, text => text.toUpperCase()),
  lower: value => rewrite(value, text => text.toLowerCase()),
  capitalize: value => capitalize(print(value)),
  title: value =>
    rewrite(value, text =>
      text
        .split(/([-\s({[<]+)/)
        .map(word => word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase())
        .join(''),
    ),
  replace: (value, args) =>
    replaceText(
      print(value),
      textArgument(args, 0, 'old'),
      textArgument(args, 1, 'new'),
      numberOf(argument(args, 2, 'count')),
    ),
  indent: (value, args) => indent(print(value), args),
  format: (value, args) => percentFormat(print(value), new List(args.positional, 'tuple')),
  center: (value, args) => {
    const text = print(value);
    const missing = Math.max(0, (numberOf(argument(args, 0, 'width')) ?? 80) - Array.from(text.value).length);
    const left =
      Math.floor(missing / 2) + (missing & 1 && (numberOf(argument(args, 0, 'width')) ?? 80) & 1 ? 1 : 0);
    return Text.concat([repeat(Text.of(' '), left), text, repeat(Text.of(' '), missing - left)]);
  },
  truncate: (value, args) => truncate(print(value), args),
  wordcount: value => print(value).value.match(/[\p{L}\p{N}_]+/gu)?.length ?? 0,
  striptags: value =>
    rewrite(value, text =>
      text
        .replace(/<!--.*?-->|<[^>]*>/gs, '')
        .split(/\s+/)
        .join(' ')
        .trim(),
    ),
  urlencode: value => rewrite(value, text => encodeURIComponent(text).replace(/%2F/g, '/')),
};

function rewrite(value: Value, change: (text: string) => string): Text {
  const text = print(value);
  return text.rewritten(change(text.value));
}

/** Hugging Face's own `tojson`: `json.dumps` without HTML escapes. */
function tojson(value: Value, args: Args): Text {
  const indentArg = argument(args, 1, 'indent') ?? null;
  const indentText =
    indentArg instanceof Text ? indentArg.value : ' '.repeat(Math.max(0, numberOf(indentArg) ?? 0));
  const separators = argument(args, 2, 'separators') ?? null;
  const pair = separators instanceof List ? separators.items.map(item => print(item).value) : undefined;
  return toJson(value, {
    ensureAscii: truthy(argument(args, 0, 'ensure_ascii') ?? false),
    indent: indentArg === null ? undefined : indentText,
    separators: [pair?.[0] ?? (indentArg === null ? ', ' : ','), pair?.[1] ?? ': '],
    sortKeys: truthy(argument(args, 3, 'sort_keys') ?? false),
  });
}

function indent(text: Text, args: Args): Text {
  const width = argument(args, 0, 'width') ?? 4;
  const first = truthy(argument(args, 1, 'first') ?? false);
  const blank = truthy(argument(args, 2, 'blank') ?? false);
  const padding = width instanceof Text ? width : Text.of(' '.repeat(Math.max(0, numberOf(width) ?? 0)));
  const lines = text.split('\n').map((line, index) => {
    if (index === 0) return first ? Text.concat([padding, line]) : line;
    return blank || line.value.length > 0 ? Text.concat([padding, line]) : line;
  });
  return Text.join(lines, Text.of('\n'));
}

function truncate(text: Text, args: Args): Text {
  const length = numberOf(argument(args, 0, 'length')) ?? 255;
  const killWords = truthy(argument(args, 1, 'killwords') ?? false);
  const end = print(argument(args, 2, 'end') ?? Text.of('...'));
  const leeway = numberOf(argument(args, 3, 'leeway') ?? null) ?? 5;
  if (text.value.length <= length + leeway) return text;
  const cut = text.slice(0, length - end.value.length);
  const space = killWords ? -1 : cut.value.lastIndexOf(' ');
  return Text.concat([space < 0 ? cut : cut.slice(0, space), end]);
}

/** `default`: replaces undefined values, or with a true second argument all false ones. */
export function defaultTo(value: Value, args: Args): Value {
  const given = argument(args, 0, 'default_value');
  const fallback = given === undefined ? Text.of('') : given;
  if (value instanceof Undefined) return fallback;
  return truthy(argument(args, 1, 'boolean') ?? false) && !truthy(value) ? fallback : value;
}

export function itemsOf(value: Value): List {
  if (value instanceof Undefined) return new List([], 'generator');
  if (!(value instanceof Dict)) throw templateError('the items filter needs a mapping');
  return new List(
    value.entries().map(pair => new List(pair, 'tuple')),
    'generator',
  );
}
