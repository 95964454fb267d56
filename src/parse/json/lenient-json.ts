import { jsonrepair } from 'jsonrepair';
import { messageOf } from '../../errors.ts';
import { LiteralError, parseLiteral } from './literal.ts';

/** `guessed`: broken JSON was completed; only a schema can tell if the result is what was meant. */
export type JsonReading =
  | { readonly ok: true; readonly value: unknown; readonly guessed: boolean }
  | { readonly ok: false; readonly reason: string };

/** JSON.parse would lose digits of these. */
const BIG_INTEGER = /\d{16,}/;

/** Repair costs time with the square of the length of some inputs. */
const MAX_REPAIR = 100_000;

/**
 * The JSON value in a model's text: strictly, else with Python's spellings, else by repair where `repair` allows it
 * (never for text that was cut off: a half value would pass for a whole one). Code fences around it are taken off.
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
    // The strict parser is the fast one; big integers are the reader's.
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

/** Begins with a bracket and ends with another thing: no parser has to throw to know that. */
function isOpen(body: string): boolean {
  const text = body.trim();
  return (text.startsWith('{') && !text.endsWith('}')) || (text.startsWith('[') && !text.endsWith(']'));
}

/** The inside of a Markdown code fence, or the text itself. */
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
  // Words alone would become a string; only something bracketed was meant as JSON.
  if (text.length > MAX_REPAIR || !/^\s*[[{]/.test(text)) return undefined;
  try {
    return { value: parseLiteral(jsonrepair(text)) };
  } catch {
    // The caller reports why the text itself cannot be read.
    return undefined;
  }
}

/** JSON.parse itself takes any depth. */
function checkDepth(value: unknown, depth = 0): unknown {
  if (depth > 100) throw new LiteralError('the data are nested more than 100 levels deep');
  if (typeof value === 'object' && value !== null) {
    for (const item of Object.values(value)) checkDepth(item, depth + 1);
  }
  return value;
}

/** JSON as models are used to it, `", "` and `": "`; bigints as digits. */
export function writeJson(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(writeJson).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const pairs = Object.entries(value).filter(([, item]) => item !== undefined);
    return `{${pairs.map(([key, item]) => `${JSON.stringify(key)}: ${writeJson(item)}`).join(', ')}}`;
  }
  return JSON.stringify(value ?? null);
}
