import { LlmHostError } from '../errors.ts';
import { type AddedToken, isControlToken } from './added-tokens.ts';
import { byteLetters } from './byte-letters.ts';
import { isObject, type JsonObject, stepTypes } from './tokenizer-json.ts';
import type { TextStream } from './tokenizer-types.ts';
import type { Vocabulary } from './vocabulary.ts';

/** The UTF-8 bytes of every id. */
export interface TokenTable {
  /** One more than the largest id. */
  readonly size: number;
  idOf(token: string): number | undefined;
  bytesOf(id: number): Uint8Array | undefined;
  /** Drop a space at the start of the text, as SentencePiece decoders do. */
  readonly stripsFirstSpace: boolean;
}

const KNOWN_STEPS = new Set([
  'ByteLevel',
  'Sequence',
  'Replace',
  'ByteFallback',
  'Fuse',
  'Strip',
  'Metaspace',
  'WordPiece',
]);
const EMPTY = new Uint8Array(0);

/**
 * Reads the `decoder` of tokenizer.json: byte-level BPE, or SentencePiece with `▁` for a space and `<0x0A>` for
 * bytes, or WordPiece, whose words have spaces between them. `clean_up_tokenization_spaces` is never applied: it would
 * change text that is already shown.
 */
export function createTokenTable(
  vocabulary: Vocabulary,
  added: readonly AddedToken[],
  tokenizerJson: JsonObject,
): TokenTable {
  const { decoder } = tokenizerJson;
  const steps = stepTypes(decoder);
  const unknown = steps.find(step => !KNOWN_STEPS.has(step));
  if (unknown !== undefined) {
    throw new LlmHostError(
      'MODEL_UNSUPPORTED',
      `tokenizer.json: a decoder of type '${unknown}' is not supported`,
    );
  }
  const pieces = !steps.includes('ByteLevel') && !steps.includes('WordPiece');
  // Gemma lists runs of spaces, in SentencePiece's writing.
  const textOf = (token: AddedToken): string =>
    pieces && !isControlToken(token) ? token.content.replaceAll('\u2581', ' ') : token.content;
  const contents = new Map(added.map(token => [token.id, textOf(token)]));
  const ids = new Map(added.map(({ id, content }) => [content, id]));
  const toBytes = bytesBy(steps, decoder);
  return {
    size: added.reduce((size, { id }) => Math.max(size, id + 1), vocabulary.size),
    idOf: token => ids.get(token) ?? vocabulary.idOf(token),
    stripsFirstSpace: stripsFirstSpace(decoder),
    bytesOf: id => {
      const content = contents.get(id);
      if (content !== undefined) return utf8(content);
      const token = vocabulary.textOf(id);
      return token === undefined ? undefined : toBytes(token);
    },
  };
}

function bytesBy(steps: readonly string[], decoder: unknown): (token: string) => Uint8Array {
  if (steps.includes('ByteLevel')) return byteLevelBytes;
  if (steps.includes('WordPiece')) {
    const prefix = isObject(decoder) && typeof decoder.prefix === 'string' ? decoder.prefix : '##';
    return token => utf8(token.startsWith(prefix) ? token.slice(prefix.length) : ` ${token}`);
  }
  return token => pieceBytes(token, steps.includes('ByteFallback'));
}

/**
 * Turns ids into text as they arrive. Unknown ids add nothing; invalid bytes become U+FFFD. Linear in the number of
 * ids.
 */
export class Detokenizer implements TextStream {
  private readonly table: TokenTable;
  private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  private atStart: boolean;

  constructor(table: TokenTable, { continues = false }: { continues?: boolean } = {}) {
    this.table = table;
    this.atStart = table.stripsFirstSpace && !continues;
  }

  push(id: number): string {
    return this.trimStart(this.decoder.decode(this.table.bytesOf(id) ?? EMPTY, { stream: true }));
  }

  end(): string {
    return this.trimStart(this.decoder.decode());
  }

  private trimStart(text: string): string {
    if (!this.atStart || text === '') return text;
    this.atStart = false;
    return text.startsWith(' ') ? text.slice(1) : text;
  }
}

function stripsFirstSpace(decoder: unknown): boolean {
  if (!isObject(decoder)) return false;
  if (Array.isArray(decoder.decoders)) return decoder.decoders.some(stripsFirstSpace);
  if (decoder.type === 'Metaspace') {
    const { prepend_scheme: scheme, add_prefix_space: addsPrefix } = decoder;
    return scheme === undefined ? addsPrefix !== false : scheme !== 'never';
  }
  if (decoder.type === 'WordPiece') return true;
  return decoder.type === 'Strip' && decoder.content === ' ' && Number(decoder.start) > 0;
}

const encoder = new TextEncoder();

function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** `<0x0A>` is a byte, `▁` a space, everything else literal. */
function pieceBytes(token: string, byteFallback: boolean): Uint8Array {
  const byte = byteFallback ? /^<0x([0-9A-Fa-f]{2})>$/.exec(token)?.[1] : undefined;
  return byte === undefined
    ? utf8(token.replaceAll('\u2581', ' '))
    : Uint8Array.of(Number.parseInt(byte, 16));
}

/** By the letter's single UTF-16 unit. */
const BYTES_OF_LETTERS = new Map(byteLetters().map((letter, byte) => [letter.charCodeAt(0), byte]));

function byteLevelBytes(token: string): Uint8Array {
  const bytes = new Uint8Array(token.length);
  for (let i = 0; i < token.length; i++) {
    const byte = BYTES_OF_LETTERS.get(token.charCodeAt(i));
    if (byte === undefined) return utf8(token);
    bytes[i] = byte;
  }
  return bytes;
}
