export interface ImageFacts {
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
