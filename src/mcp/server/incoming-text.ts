import type { Progress } from '@modelcontextprotocol/client';
import { stripControls } from '../../text/clean/strip-controls.ts';
import { stripInvisible } from '../../text/clean/strip-invisible.ts';
import { isPlainObject } from '../../text/json/plain-object.ts';

/**
 * Limits of a server's texts, in UTF-16 units. Everything that leaves this room has been through one of the
 * functions below, whoever reads it: the screen, the lines, JSON, the log, or the model. Results of calls have their
 * own limit, by the size of the context (`maxResultChars`).
 */
export const TEXT_LIMITS = {
  /** Errors of the protocol, bodies of refused HTTP requests, why a start failed. */
  error: 4000,
  /** The last lines of stderr behind an error. */
  stderrTail: 4000,
  logLine: 4000,
  progress: 200,
  /** Questions to the user, and notices that repeat them. */
  question: 4000,
  notice: 400,
  /** Title, description, default and choice of a form's field. */
  field: 400,
  /** Titles of tools, prompts, resources. */
  title: 100,
  /** Descriptions of tools, prompts, their arguments, resources. */
  description: 8000,
  instructions: 8000,
  /** Names have to be repeated exactly: longer ones, and ones with hidden characters, are refused. */
  name: 256,
  uri: 4096,
} as const;

const MAX_DEPTH = 32;
/** Schema keywords that only people and models read, not validators. */
const PROSE = new Set(['description', 'title', '$comment']);
/** Below these keywords, `description` and `title` are values or property names. */
const VALUES = new Set(['const', 'enum', 'default', 'examples']);
const NAMED = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);

/** Text without terminal sequences and without what is hidden from people, cut at `limit`. */
export function cleanText(text: string, limit: number = Number.POSITIVE_INFINITY): string {
  // Only what may be kept is worth cleaning.
  const clean = stripInvisible(stripControls(text.slice(0, 2 * limit)));
  if (clean.length <= limit && text.length <= 2 * limit) return clean;
  return `${clean.slice(0, limit)} ...`.toWellFormed();
}

/** Cleans and cuts a text to one line. */
export function cleanLine(text: string, limit: number): string {
  return cleanText(text.slice(0, 2 * limit).replace(/\s+/g, ' '), limit);
}

/** Whether a name, which has to be repeated exactly, hides nothing. */
export function isCleanName(name: string, limit: number = TEXT_LIMITS.name): boolean {
  return name.length <= limit && !/[\n\t\u2028\u2029]/.test(name) && cleanText(name) === name;
}

/** A tool's or server's description as it goes to the model. */
export function cleanDescription(text: string): string {
  return cleanText(text, TEXT_LIMITS.description);
}

/** A thing's name for people, on one line; '' without one. */
export function cleanTitle(text: string | undefined): string {
  return cleanLine(text ?? '', TEXT_LIMITS.title).trim();
}

export function cleanProgress({ message, ...progress }: Progress): Progress {
  return message === undefined
    ? progress
    : { ...progress, message: cleanLine(message, TEXT_LIMITS.progress) };
}

/** The error with a clean message: what a server sends as an error is text like any other. */
export function cleanError(error: unknown): unknown {
  if (error instanceof Error) error.message = cleanText(withReadableIssues(error.message), TEXT_LIMITS.error);
  return error;
}

const MAX_ISSUES = 3;
/** Longer ones, which a server may have written, are not taken apart. */
const MAX_ISSUES_CHARS = 100_000;

/** Issues of a schema are printed as JSON: `Invalid result for initialize: [{"path":["capabilities"], ...}]`. */
export function withReadableIssues(message: string): string {
  if (message.length > MAX_ISSUES_CHARS) return message;
  const parts = /^([^[]*: )(\[.*\])$/s.exec(message);
  if (parts === null) return message;
  let issues: unknown;
  try {
    issues = JSON.parse(parts[2] as string);
  } catch {
    // Any other message.
    return message;
  }
  if (!Array.isArray(issues)) return message;
  const texts = issues.filter(isPlainObject).map(issue => {
    const path = Array.isArray(issue.path) ? issue.path.join('.') : '';
    return `${path === '' ? '' : `${path}: `}${String(issue.message)}`;
  });
  return texts.length === 0 ? message : `${parts[1]}${texts.slice(0, MAX_ISSUES).join('; ')}`;
}

/**
 * A schema with cleaned descriptions, without keywords that are null. Values and names stay as they are, since calls must
 * repeat them exactly.
 */
export function cleanSchema(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return cleanValue(schema, 0) as Record<string, unknown>;
}

function cleanValue(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  // Nothing deeper is of use to a model, and recursion must end.
  if (depth > MAX_DEPTH) return Array.isArray(value) ? [] : {};
  if (Array.isArray(value)) return value.map(item => cleanValue(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => {
      const cleaned = cleanKeyword(key, item, depth);
      return cleaned === undefined ? [] : [[key, cleaned]];
    }),
  );
}

/** undefined: it says nothing. Servers written in Go send null for what they leave out. */
function cleanKeyword(key: string, item: unknown, depth: number): unknown {
  if (item === null && (key === 'enum' || !VALUES.has(key))) return undefined;
  if (PROSE.has(key) && typeof item === 'string') return cleanDescription(item);
  if (VALUES.has(key)) return item;
  if (NAMED.has(key) && isPlainObject(item)) return cleanNamed(item, depth + 1);
  return cleanValue(item, depth + 1);
}

/** Property names are not keywords, even if they are `description` or `enum`. */
function cleanNamed(schemas: Readonly<Record<string, unknown>>, depth: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, cleanValue(schema, depth + 1)]),
  );
}
