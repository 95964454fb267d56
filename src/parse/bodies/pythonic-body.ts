import { messageOf } from '../../errors.ts';
import { withoutFence, writeJson } from '../json/lenient-json.ts';
import { LiteralReader } from '../json/literal.ts';
import type { BodyCall, ReadBody } from '../types/format.ts';
import { jsonBody } from './json-body.ts';

/**
 * `[f(a="x"), g(b=1)]`, with optional brackets, calls separated by commas or newlines; values are Python or JSON
 * literals. `print(f(a=1))` and `tool.call(a=1)` count as the call they wrap.
 */
export const pythonicBody: ReadBody = (body, context) => {
  const text = withoutFence(body);
  if (/^\s*(?:\{|\[\s*\{)/.test(text)) return jsonBody(text, context);
  try {
    return readCalls(new LiteralReader(text));
  } catch (error) {
    return { reason: `the call cannot be read (${messageOf(error)})` };
  }
};

function readCalls(reader: LiteralReader): BodyCall[] {
  const bracket = reader.take('[');
  const calls: BodyCall[] = [];
  while (!(bracket ? reader.take(']') : isAtEnd(reader))) {
    calls.push(readCall(reader));
    if (!reader.take(',')) reader.take(';');
  }
  if (bracket) {
    reader.skipSpace();
    if (!reader.atEnd) throw reader.error('there is more text after the calls');
  }
  if (calls.length === 0) throw reader.error('the call is empty');
  return calls;
}

function isAtEnd(reader: LiteralReader): boolean {
  reader.skipSpace();
  return reader.atEnd;
}

function readCall(reader: LiteralReader): BodyCall {
  const name = reader.word();
  reader.expect('(');
  if (name === 'print') {
    const inner = readCall(reader);
    reader.expect(')');
    return inner;
  }
  const entries: [string, unknown][] = [];
  while (!reader.take(')')) {
    const key = reader.word();
    if (!reader.take('=')) reader.expect(':');
    entries.push([key, reader.value()]);
    if (!reader.take(',')) {
      reader.expect(')');
      break;
    }
  }
  return { name: name.replace(/\.call$/, ''), arguments: Object.fromEntries(entries) };
}

/** Writes the same calls: a Python list with JSON values. */
export function writePythonic(calls: readonly BodyCall[], separator = ', '): string {
  return calls
    .map(call => {
      const pairs = Object.entries(call.arguments).map(([key, value]) => `${key}=${pythonValue(value)}`);
      return `${call.name}(${pairs.join(', ')})`;
    })
    .join(separator);
}

function pythonValue(value: unknown): string {
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (value === null) return 'None';
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(', ')}]`;
  if (typeof value === 'object') {
    const pairs = Object.entries(value as object).map(
      ([key, item]) => `${JSON.stringify(key)}: ${pythonValue(item)}`,
    );
    return `{${pairs.join(', ')}}`;
  }
  return writeJson(value);
}
