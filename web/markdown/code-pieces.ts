/** Lines that are laid out together. */
const SECTION_LINES = 64;
/** Lines that are coloured together while the code grows: few, since the last ones are coloured at each frame. */
const OPEN_LINES = 8;
/** Code of this size is coloured in one piece once it is complete: what spans many lines, such as a comment, is right then. */
const WHOLE_CHARS = 12_000;

/** Code in sections, of which only the last one changes while it grows. */
export function codeSections(text: string, open: boolean): string[] {
  return !open && text.length <= WHOLE_CHARS ? [text] : inPieces(text, SECTION_LINES);
}

/** A section in pieces that are coloured one by one. */
export function codePieces(section: string, open: boolean): string[] {
  return open ? inPieces(section, OPEN_LINES) : [section];
}

/** Joined by a newline they are the text. */
function inPieces(text: string, lines: number): string[] {
  const pieces: string[] = [];
  let start = 0;
  let line = 1;
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1), line += 1) {
    if (line % lines !== 0) continue;
    pieces.push(text.slice(start, end));
    start = end + 1;
  }
  pieces.push(text.slice(start));
  return pieces;
}
