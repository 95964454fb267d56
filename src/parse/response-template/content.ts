import { isObject } from '../bodies/json-body.ts';
import { readJson } from '../json/lenient-json.ts';
import { LiteralError, parseLiteral } from '../json/literal.ts';
import { type ContentKind, isContentKind } from './content-args.ts';
import type { TemplateField } from './load.ts';
import { streamPattern } from './partial-pattern.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** A field's value, by arguments that were checked when the template was loaded: its text through its content parser, then its transform. Throws LiteralError. */
export function fieldValue(
  field: TemplateField,
  text: string,
  captures: Arguments,
  repair: boolean,
): unknown {
  const value = parseContent(text, field.content, field.contentArgs, repair);
  if (field.transform === undefined) return value;
  if (!field.transformEach) return applyTransform(field.transform, { ...captures, content: value });
  if (!Array.isArray(value)) throw new LiteralError('the calls are not a list');
  return value.map(item => {
    if (!isObject(item)) throw new LiteralError('the call is not an object');
    return applyTransform(field.transform, { ...captures, ...item });
  });
}

function parseContent(text: string, kind: ContentKind, args: Arguments, repair: boolean): unknown {
  const plain = args.strip === false ? text : text.trim();
  switch (kind) {
    case 'text':
      return plain;
    case 'int':
    case 'float': {
      const number = Number(plain);
      if (plain === '' || Number.isNaN(number))
        throw new LiteralError(`'${plain.slice(0, 40)}' is not a number`);
      return kind === 'int' ? Math.trunc(number) : number;
    }
    case 'bool':
      return ['true', '1'].includes(plain.toLowerCase());
    case 'json':
      return jsonContent(text, args, repair);
    case 'xml-inline':
      return xmlInline(text, args, repair);
    case 'kv-lines':
      return keyValueLines(text, args, repair);
  }
}

function jsonContent(text: string, args: Arguments, repair: boolean): unknown {
  const delimiters = Array.isArray(args.string_delims) ? args.string_delims : [];
  const stringMarks = delimiters.flatMap((pair: unknown) => (Array.isArray(pair) ? [pair[0] as string] : []));
  if (stringMarks.length > 0) return parseLiteral(text, { stringMarks });
  const read = readJson(text, repair);
  if (read.ok && !read.guessed) return read.value;
  if (args.allow_non_json === true) return text.trim();
  if (read.ok) return read.value;
  throw new LiteralError(read.reason);
}

function subParse(text: string, parser: unknown, repair: boolean): unknown {
  if (!isObject(parser)) return text;
  const kind = isContentKind(parser.name) ? parser.name : 'text';
  return parseContent(text, kind, isObject(parser.args) ? parser.args : {}, repair);
}

function xmlInline(text: string, args: Arguments, repair: boolean): unknown {
  const values = new Map<string, unknown>();
  const merge = args.merge_duplicates === true;
  const tags = streamPattern(typeof args.tag_pattern === 'string' ? args.tag_pattern : '').whole;
  for (const { groups } of text.matchAll(tags)) {
    const key = groups?.key;
    if (key === undefined) throw new LiteralError("the tag pattern has no group 'key'");
    const value = subParse(groups?.value ?? '', args.value_parser, repair);
    const before = values.get(key);
    values.set(
      key,
      merge && values.has(key) ? [...(Array.isArray(before) ? before : [before]), value] : value,
    );
  }
  return Object.fromEntries(values);
}

function keyValueLines(text: string, args: Arguments, repair: boolean): unknown {
  const separator = typeof args.kv_sep === 'string' ? args.kv_sep : ':';
  const entries = text.split(typeof args.line_sep === 'string' ? args.line_sep : '\n').flatMap(line => {
    const at = line.indexOf(separator);
    if (at < 0) return [];
    const value = line.slice(at + separator.length).trim();
    return [[line.slice(0, at).trim(), subParse(value, args.value_parser, repair)] as const];
  });
  return Object.fromEntries(entries);
}

/** Fills in the placeholders `{name}` and `{name.key}` of a transform; each is a whole string. */
function applyTransform(transform: unknown, scope: Arguments): unknown {
  if (Array.isArray(transform)) return transform.map(item => applyTransform(item, scope));
  if (isObject(transform)) {
    return Object.fromEntries(
      Object.entries(transform).map(([key, item]) => [key, applyTransform(item, scope)]),
    );
  }
  const path = typeof transform === 'string' ? /^\{(\w+(?:\.\w+)*)\}$/.exec(transform)?.[1] : undefined;
  if (path === undefined) return transform;
  let value: unknown = scope;
  for (const key of path.split('.')) {
    if (!isObject(value) || !Object.hasOwn(value, key)) throw new LiteralError(`the call has no '${key}'`);
    value = value[key];
  }
  return value;
}
