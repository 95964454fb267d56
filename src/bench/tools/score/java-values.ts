import { asFloat, readNumber } from './literal-numbers.ts';

const WHOLE = /^-?\d+$/;
const LONG = /^-?\d+[lL]$/;
const DOUBLE = /^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/;
const FLOAT = /^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?[fF]$/;

const AS_LIST = /new\s+ArrayList<\w*>\(Arrays\.asList\((.+?)\)\)/;
const ADDED = /new\s+ArrayList<\w*>\(\)\s*\{\{\s*(.+?)\s*\}\}/s;
const EMPTY_LIST = /new\s+ArrayList<\w*>\(\)/;
const ARRAY = /new\s+\w+\[\]\s*\{(.*?)\}/;
const MAP = /new\s+HashMap<.*?>\s*\(\)\s*\{\s*\{?\s*(.*?)\s*\}?\s*\}/s;
const EMPTY_MAP = /new\s+HashMap<.*?>\s*\(\)/;

/** The value of a Java literal of a type; text that is none stays the text it is. */
export function javaValue(text: string, type: string, itemType?: string): unknown {
  switch (type) {
    case 'byte':
    case 'short':
    case 'integer':
      return WHOLE.test(text) ? Number(text) : text;
    case 'long':
      return LONG.test(text) ? Number(text.slice(0, -1)) : text;
    case 'float':
      return FLOAT.test(text) ? asFloat(Number(text.slice(0, -1))) : text;
    case 'double':
      return DOUBLE.test(text) ? asFloat(Number(text)) : text;
    case 'boolean':
      return text === 'true' || text === 'false' ? text === 'true' : text;
    case 'Array':
      return javaArray(text, itemType);
    case 'ArrayList':
      return javaList(text, itemType);
    case 'HashMap':
      return javaMap(text);
    default:
      return text;
  }
}

function javaArray(text: string, itemType: string | undefined): unknown {
  const [, items] = ARRAY.exec(text) ?? [];
  if (items === undefined) return text;
  const parts = items.split(',').map(part => part.trim());
  return parts.filter(Boolean).map(part => (itemType ? javaValue(part, itemType) : anyJavaValue(part)));
}

function javaList(text: string, itemType: string | undefined): unknown {
  const item = (part: string) => listItem(part.trim(), itemType);
  const [, listed] = AS_LIST.exec(text) ?? [];
  if (listed !== undefined) return listed.split(',').map(item);
  const [, added] = ADDED.exec(text) ?? [];
  if (added !== undefined) return [...added.matchAll(/add\((.+?)\)/g)].map(([, part = '']) => item(part));
  return EMPTY_LIST.test(text) ? [] : text;
}

function listItem(text: string, itemType: string | undefined): unknown {
  if (itemType === undefined) return anyJavaValue(text);
  // In quotes.
  return itemType === 'char' || itemType === 'String' ? text.slice(1, -1) : javaValue(text, itemType);
}

function javaMap(text: string): unknown {
  const [, puts] = MAP.exec(text) ?? [];
  if (puts === undefined) return EMPTY_MAP.test(text) ? {} : text;
  const pairs = puts.matchAll(/put\("(.*?)",\s*(.*?)\)/g);
  return Object.fromEntries([...pairs].map(([, key = '', value = '']) => [key, anyJavaValue(value.trim())]));
}

function anyJavaValue(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  if (text.startsWith('"') && text.endsWith('"')) return text.slice(1, -1);
  if (LONG.test(text)) return Number(text.slice(0, -1));
  if (FLOAT.test(text)) return asFloat(Number(text.slice(0, -1)));
  return readNumber(text) ?? text;
}
