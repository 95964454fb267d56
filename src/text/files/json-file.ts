import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import type { ParseError } from 'jsonc-parser';
import { LlmHostError, messageOf } from '../../errors.ts';
import { depthFault, positionAt } from '../json/json-with-comments.ts';
import { jsonc } from '../json/jsonc.ts';
import { broken } from './model-fault.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

const MAX_BYTES = 256 * 1024 * 1024;

/**
 * Opens a model's file for reading, without waiting where a named pipe has taken its place.
 * @throws MODEL_BROKEN if it is not a file; the system's error
 */
export function openFile(path: string): number {
  // Sockets cannot be opened.
  if (!statSync(path).isFile()) throw broken(path, 'is not a file');
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw broken(path, 'is not a file');
}

/** UTF-8 text without its byte order mark; undefined if there is no such file. */
export function readText(path: string): string | undefined {
  let bytes: Buffer;
  let file: number | undefined;
  try {
    file = openFile(path);
    const { size } = fstatSync(file);
    if (size > MAX_BYTES) throw broken(path, `is too large: ${size} bytes, at most ${MAX_BYTES}`);
    bytes = readFileSync(file);
  } catch (error) {
    if (error instanceof LlmHostError) throw error;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw broken(path, `cannot be read: ${messageOf(error)}`, { cause: error });
  } finally {
    if (file !== undefined) closeSync(file);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw broken(path, 'is not valid UTF-8', { cause: error });
  }
}

/** Any JSON; undefined if there is no such file. Broken JSON is MODEL_BROKEN with line:column. */
export function readJson(path: string): unknown {
  const text = readText(path);
  return text === undefined ? undefined : parse(path, text);
}

/** Reads a JSON file that must hold an object. */
export function readJsonObject(path: string): JsonObject | undefined {
  const value = readJson(path);
  if (value !== undefined && !isObject(value)) throw broken(path, 'must hold a JSON object');
  return value;
}

/** Python writes Infinity, which JSON lacks; it is read as an infinite number. */
function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The replacement has the same length, so positions in later error messages stay true.
    const plain = text.replace(/"(?:[^"\\]|\\.)*"|\bInfinity\b/g, token =>
      token === 'Infinity' ? '1e999   ' : token,
    );
    if (plain !== text) return parse(path, plain);
    throw broken(path, `is not valid JSON: ${jsonFault(text, error)}`, { cause: error });
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function jsonFault(text: string, error: unknown): string {
  const deep = depthFault(text);
  if (deep !== undefined) return deep;
  const errors: ParseError[] = [];
  jsonc().parse(text, errors, {
    disallowComments: true,
    allowTrailingComma: false,
    allowEmptyContent: false,
  });
  const first = errors[0];
  if (!first) return messageOf(error);
  const { line, column } = positionAt(text, first.offset);
  const words = jsonc()
    .printParseErrorCode(first.error)
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase();
  return `${words} at ${line}:${column}`;
}
