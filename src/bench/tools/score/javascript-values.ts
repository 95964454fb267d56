import { asFloat, readNumber } from './literal-numbers.ts';

const LISTS = /^(?:\[\s*\[.*?\]\s*(?:,\s*\[.*?\]\s*)*\]|\bnew\s+Array\(\s*\[.*?\]\s*(?:,\s*\[.*?\]\s*)*\))/;
const LIST = /^(?:\[(.*?)\]|\bnew\s+Array\((.*?)\))/;
const PAIR = /([^:]+):\s*(.*?)(?:,\s*(?=[^,]+:)|$)/g;

/** The value of a JavaScript literal of a type; text that is none stays the text it is. */
export function javascriptValue(text: string, type: string, itemType?: string): unknown {
  switch (type) {
    case 'String':
      return isQuoted(text) ? text.slice(1, -1) : text;
    case 'integer':
      return /^-?\d+$/.test(text) ? Number(text) : text;
    case 'float':
      return /^-?\d+(?:\.\d+)?$/.test(text) ? asFloat(Number(text)) : text;
    case 'Bigint':
      return /^-?\d+n$/.test(text) ? Number(text.slice(0, -1)) : text;
    case 'Boolean':
      return text === 'true' || text === 'false' ? text === 'true' : text;
    case 'array':
      return arrayValue(text.trim(), itemType);
    case 'dict':
      return objectValue(text.trim());
    default:
      return text;
  }
}

function arrayValue(text: string, itemType?: string): unknown {
  const [lists] = LISTS.exec(text) ?? [];
  if (lists !== undefined) {
    return [...lists.matchAll(/\[(.*?)\]/g)].map(([, inner = ''], index) => {
      // The first match begins at the outer bracket.
      const items = index === 0 ? inner.trim().replace(/^\[/, '') : inner;
      return items.split(',').map(anyValue);
    });
  }
  const found = LIST.exec(text);
  if (!found) return text;
  const items = (found[1] ?? found[2] ?? '').trim();
  if (items === '') return [];
  return items.split(',').map(item => (itemType ? javascriptValue(item.trim(), itemType) : anyValue(item)));
}

function objectValue(text: string): unknown {
  if (text === '{}') return {};
  const [, content] = /^\{(.*?)\}/.exec(text) ?? [];
  if (content === undefined) return text;
  const pairs = [...content.matchAll(PAIR)].map(([, key = '', value = '']) => [
    unquoted(key.trim()),
    memberValue(value.trim()),
  ]);
  return Object.fromEntries(pairs);
}

function memberValue(text: string): unknown {
  if (text.startsWith('[') && text.endsWith(']')) return arrayValue(text);
  if (text.startsWith('{') && text.endsWith('}')) return objectValue(text);
  return anyValue(unquoted(text));
}

function anyValue(part: string): unknown {
  const text = part.trim();
  if (text === 'true' || text === 'false') return text === 'true';
  return isQuoted(text) ? text.slice(1, -1) : (readNumber(text) ?? text);
}

function isQuoted(text: string): boolean {
  return ['"', "'"].some(quote => text.startsWith(quote) && text.endsWith(quote));
}

const unquoted = (text: string) => text.replace(/^['"]+|['"]+$/g, '');
