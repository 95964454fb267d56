import { readJson } from '../json/lenient-json.ts';
import type { BodyFailure, ReadBody } from '../types/format.ts';
import { argumentsOf, jsonBody } from './json-body.ts';

/**
 * A name, a separator, then the JSON object of arguments. `pattern` has the groups `name` and `args` and is applied
 * to the whole trimmed body. A body that is a JSON call is accepted too, since models slip into that form.
 */
export function nameThenJson(pattern: RegExp): ReadBody {
  return (body, context) => {
    const groups = pattern.exec(body.trim())?.groups;
    if (!groups) {
      if (/^\s*[[{]/.test(body)) return jsonBody(body, context);
      return { reason: 'the call has no name followed by a JSON object' };
    }
    const name = groups.name?.trim() ?? '';
    if (name === '') return { reason: 'the call has no name' };
    const text = groups.args ?? '';
    if (text.trim() === '') {
      return context.whole ? [{ name, arguments: {} }] : { reason: 'the arguments are missing' };
    }
    const read = readJson(text, context.repair);
    if (!read.ok) return invalid(read.reason);
    const args = argumentsOf(read.value, context.repair);
    if ('reason' in args) return args;
    return [{ name, ...args, ...(read.guessed && { guessed: true }) }];
  };
}

function invalid(reason: string): BodyFailure {
  return { reason: `the arguments are not valid JSON (${reason})` };
}
