import type { BodyCall, BodyContext, ReadBody } from '../types/format.ts';
import { jsonBody } from './json-body.ts';
import { typedValue } from './typed-value.ts';

/** A dialect of tagged arguments. All patterns are sticky and have named groups. */
export interface TagDialect {
  /** Opens a call: `name`. */
  readonly call: RegExp;
  /** Closes it; if empty, only the end of the body does. */
  readonly callEnd: string;
  /** Opens an argument: `key`, and `string` ("true" or "false") if the tag gives the type. */
  readonly parameter: RegExp;
  readonly parameterEnd: string;
  /** Newlines that belong to the tags: one on each side, only if both sides have one, or none. */
  readonly newlines: 'each' | 'pair' | 'none';
}

/** Reads calls with tagged arguments, typed by the tool's schema. */
export function taggedBody(dialect: TagDialect): ReadBody {
  return (body, context) => {
    if (/^\s*[[{]/.test(body)) return jsonBody(body, context);
    const calls: BodyCall[] = [];
    let at = 0;
    for (at = skipSpace(body, at); at < body.length; at = skipSpace(body, at)) {
      const read = readCall(body, at, dialect, context);
      if (typeof read === 'string') return { reason: read };
      calls.push(read.call);
      at = read.at;
    }
    return calls.length > 0 ? calls : { reason: 'the call is empty' };
  };
}

type Read = { readonly call: BodyCall; readonly at: number };

function readCall(body: string, start: number, dialect: TagDialect, context: BodyContext): Read | string {
  const opening = matchAt(dialect.call, body, start);
  const name = opening?.groups?.name?.trim();
  if (!opening || !name) return 'the call is not in its tags';
  const entries: [string, unknown][] = [];
  let at = start + opening[0].length;
  while (true) {
    at = skipSpace(body, at);
    const tag = matchAt(dialect.parameter, body, at);
    if (!tag) break;
    at += tag[0].length;
    const end = valueEnd(body, at, dialect);
    if (end < 0) return `an argument of '${name}' is not closed with ${dialect.parameterEnd}`;
    const { key = '', string } = tag.groups ?? {};
    const raw = trimNewlines(body.slice(at, end), dialect.newlines);
    entries.push([key.trim(), string === 'true' ? raw : typedValue(raw, name, key.trim(), context)]);
    at = end + dialect.parameterEnd.length;
  }
  const call = { name, arguments: Object.fromEntries(entries) };
  if (entries.length > 0 && startsNextCall(body, at, dialect)) return { call, at };
  const { callEnd } = dialect;
  // At the end of its section a call may lack its closing tag.
  if (!context.whole && (callEnd === '' || !body.startsWith(callEnd, at))) return `'${name}' is not closed`;
  if (callEnd !== '' && body.startsWith(callEnd, at)) at += callEnd.length;
  else if (at < body.length) return `there is text beside the tags of '${name}'`;
  return { call, at };
}

/** A call without a closing tag of its own also ends where a name and an argument follow: marks were forgotten. */
function startsNextCall(body: string, at: number, { call, callEnd, parameter }: TagDialect): boolean {
  if (callEnd !== '') return false;
  const name = matchAt(call, body, at);
  return name !== null && matchAt(parameter, body, skipSpace(body, at + name[0].length)) !== null;
}

/**
 * The closing tag followed by another argument, the end of the call, another call or the end of the body; text may
 * contain one itself.
 */
function valueEnd(body: string, from: number, dialect: TagDialect): number {
  const { parameter, parameterEnd, callEnd } = dialect;
  const first = body.indexOf(parameterEnd, from);
  for (let end = first; end >= 0; end = body.indexOf(parameterEnd, end + 1)) {
    const next = skipSpace(body, end + parameterEnd.length);
    if (next >= body.length || matchAt(parameter, body, next)) return end;
    if (callEnd !== '' && body.startsWith(callEnd, next)) return end;
    if (startsNextCall(body, next, dialect)) return end;
  }
  return first;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && /\s/.test(text[at] as string)) at += 1;
  return at;
}

function trimNewlines(value: string, newlines: TagDialect['newlines']): string {
  if (newlines === 'none') return value;
  const start = value.startsWith('\n') ? 1 : 0;
  const end = value.length > start && value.endsWith('\n') ? 1 : 0;
  if (newlines === 'pair' && start + end < 2) return value;
  return value.slice(start, value.length - end);
}
