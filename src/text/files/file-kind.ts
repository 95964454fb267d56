/** The kind of a file that is not text, by its first bytes. */
export type FileKind = 'image' | 'PDF' | 'archive' | 'recording' | 'program' | 'binary file';

/** By the first bytes, in hexadecimal. */
const MAGIC: readonly (readonly [kind: FileKind, pattern: RegExp])[] = [
  [
    'image',
    /^(?:89504e47|ffd8ff|474946383[79]61|424d.{8}00000000|49492a00|4d4d002a|00000100|52494646.{8}57454250|.{8}66747970(?:68656963|68656978|6d696631|61766966))/,
  ],
  ['PDF', /^255044462d/],
  ['archive', /^(?:504b0[35]|1f8b|425a68|fd377a585a|377abcaf|28b52ffd)/],
  ['recording', /^(?:494433|4f676753|664c6143|52494646.{8}(?:57415645|41564920)|.{8}66747970|1a45dfa3)/],
  ['program', /^(?:7f454c46|4d5a|cffaedfe|cafebabe)/],
];

const HEAD_BYTES = 16;
/** Bytes that are looked at for characters that texts do not have. */
const SAMPLE_BYTES = 64 * 1024;
const MAX_CONTROL_SHARE = 0.02;
/** A text may have so many anyway, however short it is. */
const FEW = 2;

/** The kind of a file by its first bytes; undefined for text. UTF-16 needs its mark to be text. */
export function fileKind(bytes: Uint8Array): FileKind | undefined {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('hex');
  if (/^(?:fffe|feff)/.test(head)) return undefined;
  const known = MAGIC.find(([, pattern]) => pattern.test(head))?.[0];
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  if (sample.includes(0)) return known ?? 'binary file';
  // Two letters such as "BM" may also begin a text.
  const controls = sample.reduce((count, byte) => count + (isControl(byte) ? 1 : 0), 0);
  if (controls > FEW + sample.length * MAX_CONTROL_SHARE) return known ?? 'binary file';
  return known === 'PDF' ? known : undefined;
}

/** Tab, line ends, form feed and the escapes of coloured logs occur in texts. */
function isControl(byte: number): boolean {
  return byte < 32 && ![9, 10, 12, 13, 27].includes(byte);
}
