import { messageOf } from '../../errors.ts';
import type { BodyCall, BodyKind } from './format.ts';

type Failure = { readonly reason: string };

/**
 * `{"name": ..., "arguments": {...}}`, or an array of them. Arguments may be a JSON string of an object, as OpenAI
 * writes them, or missing; `parameters` is read as another name for them.
 */
export const jsonBody: BodyKind = { quotes: true, read: readJsonBody };

function readJsonBody(body: string): readonly BodyCall[] | Failure {
  if (body.trim() === '') return { reason: 'the call is empty' };
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch (error) {
    return { reason: `the call is not valid JSON (${messageOf(error)})` };
  }
  const items: unknown[] = Array.isArray(value) ? value : [value];
  if (items.length === 0) return { reason: 'the call is an empty list' };
  const calls: BodyCall[] = [];
  for (const item of items) {
    const call = readCall(item);
    if ('reason' in call) return call;
    calls.push(call);
  }
  return calls;
}

function readCall(item: unknown): BodyCall | Failure {
  if (!isObject(item)) return { reason: 'the call is not a JSON object' };
  if (typeof item.name !== 'string' || item.name.trim() === '') return { reason: 'the call has no "name"' };
  const given = item.arguments ?? item.parameters ?? {};
  const args = typeof given === 'string' ? parseOrUndefined(given) : given;
  if (!isObject(args)) return { reason: '"arguments" is not a JSON object' };
  return { name: item.name.trim(), arguments: args };
}

function parseOrUndefined(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    // The caller reports whatever is no object.
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
