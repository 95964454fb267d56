import { messageOf } from '../../errors.ts';
import { byteSize } from '../../text/byte-size.ts';
import { cleanText } from '../server/incoming-text.ts';
import type { CallResult } from '../server/wire-schemas.ts';
import { savedPath } from './saved-media.ts';

type Block = NonNullable<CallResult['content']>[number];

/**
 * A call's result as text for the model: text blocks joined by newlines; resources as their text; images, audio and other bytes as placeholders;
 * `structuredContent` as JSON if there is no content. Terminal sequences and invisible characters are removed.
 * Well-formed Unicode of at most `maxChars` UTF-16 units, plus a note saying how much was cut.
 */
export function resultText(result: CallResult, maxChars: number): string {
  const blocks = result.content ?? [];
  let text = blocks.map(blockText).join('\n');
  if (blocks.length === 0) {
    if (result.structuredContent !== undefined) text = jsonText(result.structuredContent);
    else text = result.isError === true ? 'Error: the tool failed without saying why.' : '(no output)';
  }
  // Only what may be kept is worth cleaning.
  const clean = cleanText(text.slice(0, 2 * maxChars));
  if (clean.length <= maxChars && text.length <= 2 * maxChars) return wellFormed(clean);
  return wellFormed(`${clean.slice(0, maxChars)}\n... [cut: ${maxChars} of ${text.length} characters]`);
}

function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // Nested deeper than calls can be.
    return `[structured content that cannot be written as JSON: ${messageOf(error)}]`;
  }
}

function blockText(block: Block): string {
  switch (block.type) {
    case 'text':
      return stringOf(block.text);
    case 'image':
    case 'audio':
      return `[${block.type} ${stringOf(block.mimeType) || 'of unknown type'}, ${base64Size(block.data)}${savedText(block)}]`;
    case 'resource':
      return resourceText(block.resource, savedText(block));
    case 'resource_link':
      return `[link ${[block.uri, block.title ?? block.name, block.description].map(stringOf).filter(Boolean).join(', ')}]`;
    default:
      return `[${block.type.slice(0, 40)} block, not shown]`;
  }
}

function savedText(block: Block): string {
  const path = savedPath(block);
  return path === undefined ? '' : `, saved as ${path}`;
}

function resourceText(value: unknown, saved: string): string {
  if (typeof value !== 'object' || value === null) return '[resource without content]';
  const { uri, mimeType, text, blob } = value as Readonly<Record<string, unknown>>;
  const label = [uri, mimeType].map(stringOf).filter(Boolean).join(', ');
  const content = typeof text === 'string' ? text : blobText(blob, mimeType);
  return content === undefined || saved !== ''
    ? `[resource ${label}, ${base64Size(blob)}${saved}]`
    : `[resource ${label}]\n${content}`;
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function base64Size(data: unknown): string {
  const encoded = stringOf(data).replace(/=+$/, '');
  const bytes = Math.floor((encoded.length * 3) / 4);
  return byteSize(bytes);
}

/** Lone surrogates, from the server or from the cut, become U+FFFD. */
function wellFormed(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
}

/** Real ones are shorter; the patterns below would take long over a megabyte. */
const MAX_TYPE_CHARS = 255;
/** Types that are text though they are not called `text/...`. */
const TEXT_TYPES =
  /^(?:text\/.+|.+\/(?:.+\+)?(?:json|xml|yaml)|application\/(?:x-)?(?:ndjson|yaml|toml|javascript|sql))$/;

/**
 * The text of a resource that came as bytes, if its type says that they are text and they are; else undefined. Its `charset` is
 * honoured, and UTF-8 the default.
 */
function blobText(blob: unknown, mimeType: unknown): string | undefined {
  if (typeof blob !== 'string' || typeof mimeType !== 'string' || mimeType.length > MAX_TYPE_CHARS)
    return undefined;
  const [type = '', ...parameters] = mimeType.toLowerCase().split(';');
  if (!TEXT_TYPES.test(type.trim())) return undefined;
  const [charset = 'utf-8'] = parameters.flatMap(one => /^\s*charset="?([^"\s]+)"?\s*$/.exec(one)?.[1] ?? []);
  try {
    return new TextDecoder(charset, { fatal: true }).decode(Buffer.from(blob, 'base64'));
  } catch {
    // An unknown charset, or not text after all: shown as bytes.
    return undefined;
  }
}
