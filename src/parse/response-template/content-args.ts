import { messageOf } from '../../errors.ts';
import { isObject } from '../bodies/json-body.ts';
import { streamPattern } from './partial-pattern.ts';

export const CONTENT_KINDS = ['text', 'int', 'float', 'bool', 'json', 'xml-inline', 'kv-lines'] as const;
export type ContentKind = (typeof CONTENT_KINDS)[number];

/** The limit of a mark or pattern. Some 10,000 exhaust the stack of the regular expression engine. */
export const MAX_MARK_CHARS = 2000;
/** A parser of values may have a parser of its own values, and so on. */
const MAX_PARSERS = 8;

export const isContentKind = (value: unknown): value is ContentKind =>
  CONTENT_KINDS.some(kind => kind === value);

/** The fault in the arguments of a content parser, such as `a 'tag_pattern' that is not text`. */
export function contentArgsFault(args: unknown, parsers = 1): string | undefined {
  if (args === undefined || args === null) return undefined;
  if (!isObject(args)) return "'content_args' that are not an object";
  return (
    patternFault('tag_pattern', args.tag_pattern) ??
    delimitersFault(args.string_delims) ??
    valueParserFault(args.value_parser, parsers)
  );
}

/** The fault in a pattern, if any. */
export function patternFault(key: string, pattern: unknown): string | undefined {
  if (pattern === undefined) return undefined;
  if (typeof pattern !== 'string') return `a '${key}' that is not text`;
  if (pattern.length > MAX_MARK_CHARS) return `a '${key}' of more than ${MAX_MARK_CHARS} characters`;
  try {
    streamPattern(pattern);
    return undefined;
  } catch (error) {
    return `a broken '${key}' (${messageOf(error)})`;
  }
}

function delimitersFault(delimiters: unknown): string | undefined {
  if (delimiters === undefined) return undefined;
  const good = Array.isArray(delimiters) && delimiters.every(pair => Array.isArray(pair) && isMark(pair[0]));
  return good ? undefined : "'string_delims' that are not a list of pairs of text";
}

function isMark(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value.length <= MAX_MARK_CHARS;
}

function valueParserFault(parser: unknown, parsers: number): string | undefined {
  if (!isObject(parser)) return undefined;
  if (parsers === MAX_PARSERS) return `more than ${MAX_PARSERS} parsers of values in each other`;
  if (parser.name !== undefined && !isContentKind(parser.name))
    return `a 'value_parser' of an unknown name; known: ${CONTENT_KINDS.join(', ')}`;
  return contentArgsFault(parser.args, parsers + 1);
}
