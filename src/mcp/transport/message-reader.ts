import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { LineSplitter, type SplitLine } from '../../text/line-splitter.ts';
import { parseMessages, refusal } from './json-rpc.ts';

/**
 * Values in one message. JSON of 10 MB can hold millions, which block the event loop for most of a second while they
 * are read, and take a hundred bytes of memory each.
 */
export const MAX_VALUES = 400_000;

const MEGABYTE = 1024 * 1024;
/** Longer messages are refused and skipped; the connection goes on. */
export const MAX_MESSAGE_BYTES = 10 * MEGABYTE;
/** This much junk without a message in between, and the server is given up. */
const MAX_JUNK_BYTES = 64 * MEGABYTE;
/** The least that a line counts: a flood of short lines costs more time than its bytes. */
const MIN_JUNK_BYTES = 64;
const MAX_JUNK_LINE_CHARS = 200;
/** Stray lines in a row to report; the rest are only counted. */
const MAX_REPORTED = 20;
/** Enough to find an id at either end. */
const ENDS_CHARS = 256;

export const TOO_MANY_VALUES = `the answer holds more than ${MAX_VALUES} values and was refused`;

export interface MessageReaderEvents {
  readonly onMessage: (message: JSONRPCMessage) => void;
  /**
   * A line that is not a JSON-RPC message, shortened (the first 20 in a row): some servers print to stdout what
   * belongs on stderr.
   */
  readonly onJunk: (line: string) => void;
  /** The stream is beyond hope; nothing more is read. */
  readonly onFatal: (reason: string) => void;
}

/** Finds the JSON-RPC messages in a server's stdout, in bounded memory, whatever else it prints there. */
export class MessageReader {
  readonly #events: MessageReaderEvents;
  readonly #lines = new LineSplitter(MAX_MESSAGE_BYTES);
  #junkBytes = 0;
  #junkLines = 0;
  #ended = false;

  constructor(events: MessageReaderEvents) {
    this.#events = events;
  }

  /** Each step reads a line. */
  *push(chunk: Buffer): Generator<void> {
    if (this.#ended) return;
    for (const line of this.#lines.push(chunk)) {
      this.#take(line);
      yield;
    }
    if (this.#junkBytes + this.#lines.pendingBytes > MAX_JUNK_BYTES) {
      this.#ended = true;
      this.#events.onFatal(`it printed more than ${MAX_JUNK_BYTES / MEGABYTE} MB of output that is not MCP`);
    }
  }

  #take(split: SplitLine): void {
    const line = split.type === 'line' && hasTooManyValues(split.text) ? dense(split.text) : split;
    const messages = line.type === 'line' ? parseMessages(line.text) : refusalOf(line, split === line);
    if (messages.length > 0) {
      this.#junkBytes = 0;
      this.#junkLines = 0;
      for (const message of messages) this.#events.onMessage(message);
      return;
    }
    const text = line.type === 'line' ? line.text : `${line.head} [${line.bytes} bytes]`;
    if (text.trim() === '') return;
    this.#junkBytes += Math.max(MIN_JUNK_BYTES, line.type === 'line' ? line.text.length : line.bytes);
    this.#junkLines++;
    if (this.#junkLines <= MAX_REPORTED) this.#events.onJunk(text.slice(0, MAX_JUNK_LINE_CHARS));
  }
}

/** The ends of a message that is not read. */
function dense(text: string): Extract<SplitLine, { type: 'oversized' }> {
  const [head, tail] = [text.slice(0, ENDS_CHARS), text.slice(-ENDS_CHARS)];
  return { type: 'oversized', bytes: Buffer.byteLength(text), head, tail };
}

/** An error for the request waiting for a response that is too large, or else too dense, if its id can be found. */
function refusalOf(
  line: Extract<SplitLine, { type: 'oversized' }>,
  isTooLarge: boolean,
): readonly JSONRPCMessage[] {
  const head = line.head.trimStart();
  const found =
    /^\{"jsonrpc":\s*"2\.0",\s*"id":\s*(\d+),\s*"(?:result|error)"/.exec(head) ??
    /^\{"id":\s*(\d+),\s*"jsonrpc":\s*"2\.0"/.exec(head) ??
    (head.startsWith('{"result"')
      ? /"id":\s*(\d+)\s*(?:,\s*"jsonrpc":\s*"2\.0"\s*)?\}\s*$/.exec(line.tail)
      : null);
  if (found === null) return [];
  if (!isTooLarge) return [refusal(Number(found[1]), TOO_MANY_VALUES)];
  const size = (line.bytes / MEGABYTE).toFixed(1);
  const limit = MAX_MESSAGE_BYTES / MEGABYTE;
  return [
    refusal(
      Number(found[1]),
      `the answer of ${size} MB is larger than the limit of ${limit} MB and was refused`,
    ),
  ];
}

const [QUOTE, BACKSLASH, NEWLINE, COMMA, LIST, OBJECT] = [0x22, 0x5c, 0x0a, 0x2c, 0x5b, 0x7b];

/** Counts the values of a JSON text as its bytes arrive, by the commas and brackets outside its strings. */
export class ValueCount {
  #count = 0;
  #inString = false;
  #escaped = false;

  /** Whether there are too many by now. */
  push(bytes: Uint8Array): boolean {
    for (let at = 0; at < bytes.length && this.#count <= MAX_VALUES; at++) {
      const byte = bytes[at];
      if (this.#escaped) this.#escaped = false;
      else if (byte === QUOTE) this.#inString = !this.#inString;
      // No string of JSON holds one: what came before was no JSON, such as another field of an event.
      else if (byte === NEWLINE) this.#inString = false;
      else if (this.#inString) this.#escaped = byte === BACKSLASH;
      else if (byte === COMMA || byte === LIST || byte === OBJECT) this.#count += 1;
    }
    return this.#count > MAX_VALUES;
  }

  /** Another message begins. */
  reset(): void {
    this.#count = 0;
    this.#inString = false;
    this.#escaped = false;
  }
}

/** Whether a whole message holds too many. Short ones cannot. */
export function hasTooManyValues(text: string): boolean {
  return text.length > MAX_VALUES && new ValueCount().push(Buffer.from(text));
}
