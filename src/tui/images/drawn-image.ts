import { lstatSync, readFileSync } from 'node:fs';
import type { ImageProtocol } from './image-protocol.ts';

export interface DrawnImage extends ImageCells {
  /** Draws it from the cursor to the right and down. */
  readonly sequence: string;
}

/** Larger files take the terminal too long. */
const MAX_BYTES = 2 * 1024 * 1024;
/** Unpacked, a small file can be huge. */
const MAX_PIXELS = 25_000_000;
/** The usual size of a cell in pixels. */
const CELL = { width: 10, height: 20 };

/** The image in this file, as small as `box` and never enlarged; undefined: the terminal cannot or should not show it. */
export function drawnImage(path: string, protocol: ImageProtocol, box: ImageCells): DrawnImage | undefined {
  const bytes = read(path);
  const image = bytes && imageFacts(bytes);
  if (image === undefined || image.width * image.height > MAX_PIXELS) return undefined;
  if (protocol === 'kitty' && image.kind !== 'png') return undefined;
  const columns = image.width / CELL.width;
  const rows = image.height / CELL.height;
  const scale = Math.min(1, box.columns / columns, box.rows / rows);
  const cells = {
    rows: Math.max(1, Math.round(rows * scale)),
    columns: Math.max(1, Math.round(columns * scale)),
  };
  return { ...cells, sequence: imageEscape(protocol, image.data, cells) };
}

/** Removed by now, or no file of ours: nothing is shown, and the result still names it. */
function read(path: string): Buffer | undefined {
  try {
    const stats = lstatSync(path);
    return stats.isFile() && stats.size <= MAX_BYTES ? readFileSync(path) : undefined;
  } catch {
    return undefined;
  }
}

interface ImageFacts {
  readonly kind: 'png' | 'jpeg' | 'gif';
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** The image without what may stand behind it. */
  readonly data: Buffer;
}

const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const JPEG_END = Buffer.from([0xff, 0xd9]);
const GIF_END = 0x3b;

/** Type and size of an image, read from its bytes; undefined if it is unknown, truncated or not an image. */
export function imageFacts(data: Buffer): ImageFacts | undefined {
  const found = pngFacts(data) ?? jpegFacts(data) ?? gifFacts(data);
  return found !== undefined && found.width > 0 && found.height > 0 ? found : undefined;
}

function pngFacts(data: Buffer): ImageFacts | undefined {
  if (data.length < 33 || !data.subarray(0, PNG.length).equals(PNG)) return undefined;
  if (data.readUInt32BE(8) !== 13 || chunkName(data, 8) !== 'IHDR') return undefined;
  for (let at = PNG.length; at + 12 <= data.length; ) {
    const end = at + 12 + data.readUInt32BE(at);
    if (end > data.length) return undefined;
    if (chunkName(data, at) === 'IEND') {
      const size = { width: data.readUInt32BE(16), height: data.readUInt32BE(20) };
      return { kind: 'png', ...size, data: data.subarray(0, end) };
    }
    at = end;
  }
  return undefined;
}

function chunkName(data: Buffer, at: number): string {
  return data.toString('latin1', at + 4, at + 8);
}

/** Goes through the segments up to the one with the size. */
function jpegFacts(data: Buffer): ImageFacts | undefined {
  if (data.length < 4 || data.readUInt16BE(0) !== 0xffd8) return undefined;
  for (let at = 2; at + 9 <= data.length; ) {
    const marker = data.readUInt8(at + 1);
    const length = data.readUInt16BE(at + 2);
    if (data.readUInt8(at) !== 0xff || length < 2) return undefined;
    if (isFrame(marker)) {
      const end = data.lastIndexOf(JPEG_END);
      const size = { width: data.readUInt16BE(at + 7), height: data.readUInt16BE(at + 5) };
      return end > at ? { kind: 'jpeg', ...size, data: data.subarray(0, end + 2) } : undefined;
    }
    at += 2 + length;
  }
  return undefined;
}

/** SOF0 to SOF15, between which other segments have their markers. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

function gifFacts(data: Buffer): ImageFacts | undefined {
  if (data.length < 14 || !/^GIF8[79]a$/.test(data.toString('latin1', 0, 6))) return undefined;
  if (data.at(-1) !== GIF_END) return undefined;
  return { kind: 'gif', width: data.readUInt16LE(6), height: data.readUInt16LE(8), data };
}

/** Cells that an image takes. */
export interface ImageCells {
  readonly rows: number;
  readonly columns: number;
}

/** Characters of base64 in one sequence of kitty's. */
const CHUNK = 4096;

/**
 * Draws an image at the cursor. Consists of fixed text, numbers and base64, so that nothing in `data` reaches the
 * terminal as a sequence.
 */
function imageEscape(protocol: ImageProtocol, data: Buffer, cells: ImageCells): string {
  return protocol === 'kitty' ? kittyEscape(data, cells) : iterm2Escape(data, cells);
}

/** `q=2`: the terminal answers nothing, which would be read as typed. `C=1`: the cursor stays. PNG only. */
function kittyEscape(data: Buffer, { rows, columns }: ImageCells): string {
  const base64 = data.toString('base64');
  const parts: string[] = [];
  for (let at = 0; at < base64.length; at += CHUNK) {
    const keys = at === 0 ? `a=T,f=100,C=1,r=${rows},c=${columns},` : '';
    const more = at + CHUNK < base64.length ? 1 : 0;
    parts.push(`\u001b_G${keys}q=2,m=${more};${base64.slice(at, at + CHUNK)}\u001b\\`);
  }
  return parts.join('');
}

function iterm2Escape(data: Buffer, { rows, columns }: ImageCells): string {
  const keys = `inline=1;size=${data.length};width=${columns};height=${rows};preserveAspectRatio=1;doNotMoveCursor=1`;
  return `\u001b]1337;File=${keys}:${data.toString('base64')}\u0007`;
}
