import { mutateJson } from './mutate-json.ts';
import type { Random } from './random.ts';

const MAX_BYTES = 16 * 1024;
const NUMBERS = [0, 1, -1, 127, 128, 255, 256, 32767, 65535, 65536, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1];
/** What breaks readers of text, whatever they read. */
const TEXTS = [
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '\n',
  '\r\n',
  '\0',
  '\ufeff',
  '\u001b[2J',
  '\u202e',
  '\u{e0041}',
  'null',
  'true',
  '-0',
  '1e999',
  '1e-999',
  '9007199254740993',
  '""',
  '[]',
  '{}',
  '__proto__',
  'constructor',
  'toString',
  '\\ud800',
  '\\u0000',
  '$\u007benv:HOME}',
  '(a+)+$',
  '../../etc/passwd',
]; // prettier-ignore

/** A changed copy of one of the corpus, by one to four small steps. */
export function mutate(
  corpus: readonly Uint8Array[],
  dictionary: readonly string[],
  random: Random,
): Uint8Array {
  let bytes: Buffer = Buffer.from(random.of(corpus));
  // Bytes of JSON are mostly a syntax error after any change: three of four changes go to the tree.
  const tree = random.below(4) > 0 ? mutateJson(bytes.toString('utf8'), dictionary, random) : undefined;
  if (tree !== undefined) return Buffer.from(tree).subarray(0, MAX_BYTES);
  for (let steps = 1 + random.below(4); steps > 0; steps--) {
    bytes = step(bytes, corpus, dictionary, random);
  }
  return bytes.subarray(0, MAX_BYTES);
}

function step(
  bytes: Buffer,
  corpus: readonly Uint8Array[],
  dictionary: readonly string[],
  random: Random,
): Buffer {
  const at = random.below(bytes.length + 1);
  const length = 1 + random.below(Math.min(32, bytes.length + 1));
  const insert = (piece: Uint8Array) => Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)]);
  switch (random.below(10)) {
    case 0:
      return flip(bytes, at, random);
    case 1:
      return insert(Buffer.from([random.below(256)]));
    case 2:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]);
    case 3:
      // Nesting and repetition: one piece many times.
      return insert(Buffer.concat(Array<Buffer>(2 ** random.below(8)).fill(bytes.subarray(at, at + length))));
    case 4:
      return insert(Buffer.from(random.of(TEXTS)));
    case 5:
      return number(bytes, at, random);
    case 6: {
      const other = random.of(corpus);
      const from = random.below(other.length + 1);
      return insert(Buffer.from(other.subarray(from, from + 1 + random.below(64))));
    }
    case 7:
      return digits(bytes, random);
    case 8:
      return bytes.subarray(0, at);
    default:
      return insert(Buffer.from(dictionary.length > 0 ? random.of(dictionary) : random.of(TEXTS)));
  }
}

function flip(bytes: Buffer, at: number, random: Random): Buffer {
  const copy = Buffer.from(bytes);
  if (at < copy.length) copy[at] = (copy[at] as number) ^ (1 << random.below(8));
  return copy;
}

function number(bytes: Buffer, at: number, random: Random): Buffer {
  const copy = Buffer.from(bytes);
  const value = random.of(NUMBERS);
  const size = random.of([1, 2, 4, 8]);
  for (let i = 0; i < size && at + i < copy.length; i++) {
    copy[at + i] = i < 4 ? (value >> (8 * i)) & 255 : value < 0 ? 255 : 0;
  }
  return copy;
}

/** Another number where one is written in digits. */
function digits(bytes: Buffer, random: Random): Buffer {
  const text = bytes.toString('latin1');
  const found = [...text.matchAll(/-?\d+(?:\.\d+)?/g)];
  if (found.length === 0) return bytes;
  const { 0: old, index } = random.of(found);
  const replaced = random.of([...NUMBERS.map(String), '1e308', '0.1', '-1.5', '99999999999999999999']);
  return Buffer.from(text.slice(0, index) + replaced + text.slice(index + old.length), 'latin1');
}
