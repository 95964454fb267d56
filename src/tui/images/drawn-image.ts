import { lstatSync, readFileSync } from 'node:fs';
import { type ImageCells, imageEscape } from './image-escapes.ts';
import { imageFacts } from './image-facts.ts';
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
