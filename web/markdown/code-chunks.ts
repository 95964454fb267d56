/** Lines that are coloured together: few while the code grows, since the last ones are coloured at each frame. */
const OPEN_LINES = 8;
const CLOSED_LINES = 64;
/** Code of this size is coloured in one piece once it is complete: what spans many lines, such as a comment, is right then. */
const WHOLE_CHARS = 12_000;

/** Code in pieces that are coloured one by one, so that only the last one is coloured again while it grows. */
export function codeChunks(text: string, open: boolean): string[] {
  if (!open && text.length <= WHOLE_CHARS) return [text];
  const size = open ? OPEN_LINES : CLOSED_LINES;
  const lines = text.split('\n');
  const chunks: string[] = [];
  for (let at = 0; at < lines.length; at += size) chunks.push(lines.slice(at, at + size).join('\n'));
  return chunks;
}
