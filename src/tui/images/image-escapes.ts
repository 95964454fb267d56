import type { ImageProtocol } from './image-protocol.ts';

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
export function imageEscape(protocol: ImageProtocol, data: Buffer, cells: ImageCells): string {
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
