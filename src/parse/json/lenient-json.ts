import { jsonrepair } from 'jsonrepair';
import { messageOf } from '../../errors.ts';
import { LiteralError, parseLiteral } from './literal.ts';

/** `guessed`: completed from broken JSON; only a schema can tell if that is what was meant. */
export type JsonReading =
  | { readonly ok: true; readonly value: unknown; readonly guessed: boolean }
  | { readonly ok: false; readonly reason: string };

/** JSON.parse would lose digits of these. */
const BIG_INTEGER = /\d{16,}/;

/** For some inputs repair takes quadratic time. */
const MAX_REPAIR = 100_000;

/**
 * The JSON value in a model's text: strict, else with Python's spellings, else repaired if `repair` allows it (never
 * for text that was cut off: half a value would pass for a whole one). Code fences are removed.
 */
export function readJson(text: string, repair: boolean): JsonReading {
  const body = withoutFence(text);
  const reading = isOpen(body)
    ? { ok: false as const, reason: 'its last bracket is missing' }
    : readStrictly(body);
  if (reading.ok || !repair) return reading;
  const repaired = repairJson(body);
  return repaired === undefined ? reading : { ok: true, value: repaired.value, guessed: true };
}

function readStrictly(body: string): JsonReading {
  try {
    // The strict parser is faster, but loses digits of big integers.
    const value = BIG_INTEGER.test(body) ? parseLiteral(body) : checkDepth(JSON.parse(body));
    return { ok: true, value, guessed: false };
  } catch (strict) {
    try {
      return { ok: true, value: parseLiteral(body), guessed: false };
    } catch (lenient) {
      return { ok: false, reason: messageOf(lenient instanceof LiteralError ? lenient : strict) };
    }
  }
}

/** Starts with a bracket but does not end with one, so no parser needs to throw to find out. */
function isOpen(body: string): boolean {
  const text = body.trim();
  return (text.startsWith('{') && !text.endsWith('}')) || (text.startsWith('[') && !text.endsWith(']'));
}

/** The contents of a Markdown code fence, or the text itself. */
export function withoutFence(text: string): string {
  const trimmed = text.trim();
  const opening = /^```[\w-]*[ \t]*\n?/.exec(trimmed)?.[0];
  if (opening === undefined) return text;
  return trimmed.slice(
    opening.length,
    trimmed.length > opening.length && trimmed.endsWith('```') ? -3 : undefined,
  );
}

function repairJson(text: string): { value: unknown } | undefined {
  // Words alone would become a string; only bracketed text was meant as JSON.
  if (text.length > MAX_REPAIR || !/^\s*[[{]/.test(text)) return undefined;
  try {
    return { value: parseLiteral(jsonrepair(text)) };
  } catch {
    // The caller reports why the text cannot be read.
    return undefined;
  }
}

/** JSON.parse accepts any depth. */
function checkDepth(value: unknown, depth = 0): unknown {
  if (depth > 100) throw new LiteralError('the data are nested more than 100 levels deep');
  if (typeof value === 'object' && value !== null) {
    for (const item of Object.values(value)) checkDepth(item, depth + 1);
  }
  return value;
}

/** JSON as models usually see it, with `", "` and `": "`; bigints as digits. */
export function writeJson(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(writeJson).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const pairs = Object.entries(value).filter(([, item]) => item !== undefined);
    return `{${pairs.map(([key, item]) => `${JSON.stringify(key)}: ${writeJson(item)}`).join(', ')}}`;
  }
  return JSON.stringify(value ?? null);
}
