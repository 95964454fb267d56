import { Text } from './text.ts';
import {
  type Attributes,
  BigInteger,
  Callable,
  Dict,
  Float,
  List,
  templateError,
  Undefined,
  type Value,
} from './values.ts';

/** Python's `str(value)`. */
export function print(value: Value): Text {
  if (value instanceof Text) return value;
  if (value instanceof Undefined) return Text.of('');
  return repr(value);
}

/** Python's `repr(value)`. */
export function repr(value: Value): Text {
  if (value === null) return Text.of('None');
  if (typeof value === 'boolean') return Text.of(value ? 'True' : 'False');
  if (typeof value === 'number') return Text.of(String(value));
  if (value instanceof BigInteger) return Text.of(String(value.digits));
  if (value instanceof Float) return Text.of(floatText(value.value));
  if (value instanceof Text) return value.rewritten(quote(value.value));
  if (value instanceof List) return listRepr(value);
  if (value instanceof Dict) {
    const items = value.entries().map(([key, item]) => Text.join([repr(key), repr(item)], Text.of(': ')));
    return enclose('{', items, '}');
  }
  if (value instanceof Undefined) return Text.of('Undefined');
  return Text.of(`<${value instanceof Callable ? `function ${value.label}` : (value as Attributes).label}>`);
}

function listRepr(list: List): Text {
  const items = list.items.map(repr);
  if (list.kind !== 'tuple') return enclose('[', items, ']');
  return enclose('(', items, items.length === 1 ? ',)' : ')');
}

function enclose(open: string, items: readonly Text[], close: string): Text {
  return Text.concat([Text.of(open), Text.join(items, Text.of(', ')), Text.of(close)]);
}

function quote(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  const body = text.replace(/[\\\n\r\t\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Zs}'"]/gu, char => {
    if (char === '\\' || char === mark) return `\\${char}`;
    if (char === ' ' || char === "'" || char === '"') return char;
    if (char === '\n') return '\\n';
    if (char === '\r') return '\\r';
    if (char === '\t') return '\\t';
    const code = char.codePointAt(0) as number;
    if (code <= 0xff) return `\\x${code.toString(16).padStart(2, '0')}`;
    return code <= 0xffff
      ? `\\u${code.toString(16).padStart(4, '0')}`
      : `\\U${code.toString(16).padStart(8, '0')}`;
  });
  return mark + body + mark;
}

/** Python's shortest float text: an exponent below 1e-4 and from 1e16. */
export function floatText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Object.is(value, -0)) return '-0.0';
  const [mantissa = '0', exponentText = '0'] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  if (exponent < -4 || exponent >= 16) {
    return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
  }
  if (Number.isInteger(value)) return `${value}.0`;
  if (exponent >= 0) return String(value);
  const sign = value < 0 ? '-' : '';
  return `${sign}0.${'0'.repeat(-exponent - 1)}${mantissa.replace(/[-.]/g, '')}`;
}

export interface JsonOptions {
  readonly ensureAscii: boolean;
  /** Indentation per level; undefined: all on one line. */
  readonly indent: string | undefined;
  readonly separators: readonly [item: string, key: string];
  readonly sortKeys: boolean;
}

/** Python's `json.dumps`. */
export function toJson(value: Value, options: JsonOptions, level = 0): Text {
  if (value === null) return Text.of('null');
  if (typeof value === 'boolean') return Text.of(String(value));
  if (value instanceof BigInteger) return Text.of(String(value.digits));
  if (value instanceof Float) return Text.of(jsonFloat(value.value));
  if (value instanceof Text) return value.rewritten(jsonString(value.value, options.ensureAscii));
  if (value instanceof List && value.kind !== 'generator') {
    return jsonContainer(
      '[',
      value.items.map(item => toJson(item, options, level + 1)),
      ']',
      options,
      level,
    );
  }
  if (value instanceof Dict) {
    let entries = value.entries().map(([key, item]) => [jsonKey(key), item] as const);
    if (options.sortKeys)
      entries = entries.sort(([a], [b]) => (a.value < b.value ? -1 : a.value > b.value ? 1 : 0));
    const items = entries.map(([key, item]) =>
      Text.concat([
        key.rewritten(jsonString(key.value, options.ensureAscii)),
        Text.of(options.separators[1]),
        toJson(item, options, level + 1),
      ]),
    );
    return jsonContainer('{', items, '}', options, level);
  }
  if (typeof value === 'number') return Text.of(String(value));
  throw templateError(`${value instanceof Undefined ? value.what : 'a function'} cannot be written as JSON`);
}

function jsonContainer(
  open: string,
  items: readonly Text[],
  close: string,
  options: JsonOptions,
  level: number,
): Text {
  if (items.length === 0) return Text.of(open + close);
  const { indent, separators } = options;
  const line = (depth: number) => (indent === undefined ? '' : `\n${indent.repeat(depth)}`);
  const body = Text.join(items, Text.of(separators[0] + line(level + 1)));
  return Text.concat([Text.of(open + line(level + 1)), body, Text.of(line(level) + close)]);
}

function jsonKey(key: Value): Text {
  if (key instanceof Text) return key;
  if (key === null) return Text.of('null');
  if (typeof key === 'boolean' || typeof key === 'number') return Text.of(String(key));
  if (key instanceof Float) return Text.of(jsonFloat(key.value));
  throw templateError('a key is neither a string nor a number and cannot be written as JSON');
}

function jsonFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity';
  return floatText(value);
}

function jsonString(value: string, ensureAscii: boolean): string {
  const text = JSON.stringify(value);
  if (!ensureAscii) return text;
  return text.replace(/[\x7f-\uffff]/g, char => {
    const code = char.charCodeAt(0);
    return code === 0x7f ? char : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}
