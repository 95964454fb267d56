import { messageOf } from '../../errors.ts';
import { LiteralReader } from '../json/literal.ts';
import type { BodyCall, ReadBody } from '../types/format.ts';
import { isObject } from './json-body.ts';

/** `call:name{key:value,...}` with bare keys and strings between `mark`s, as Gemma writes it. */
export function braceBody(mark: string): ReadBody {
  return body => {
    try {
      const reader = new LiteralReader(body, { stringMarks: [mark] });
      reader.take('call:');
      const name = reader.word();
      const args = reader.value();
      reader.skipSpace();
      if (!reader.atEnd) throw reader.error('there is more text after the arguments');
      if (!isObject(args)) return { reason: 'the arguments are not in braces' };
      return [{ name, arguments: args }];
    } catch (error) {
      return { reason: `the call cannot be read (${messageOf(error)})` };
    }
  };
}

export function writeBraces(call: BodyCall, mark: string): string {
  return `call:${call.name}${braces(call.arguments, mark)}`;
}

function braces(value: unknown, mark: string): string {
  if (typeof value === 'string') return `${mark}${value}${mark}`;
  if (Array.isArray(value)) return `[${value.map(item => braces(item, mark)).join(',')}]`;
  if (isObject(value)) {
    return `{${Object.entries(value)
      .map(([key, item]) => `${key}:${braces(item, mark)}`)
      .join(',')}}`;
  }
  return String(value);
}
