import { stripControls } from '../../text/clean/strip-controls.ts';

/** How far ahead in the source a character is looked for; what is not there was made by the renderer, such as a bullet. */
const AHEAD = 80;
/** Markup is seldom longer. Beyond it, a character counts only with those that follow it. */
const NEAR = 4;
const FOLLOWING = 4;
/**
 * The marks that the renderer puts before a row. A number may differ from the source's, and stand further to the right
 * there.
 */
const MARKS = /^(?:[│•\s]|\d+\. |\[[ x]\] )+/;

/**
 * The index in a markdown source behind the rows that were rendered from its beginning. Markup is passed over, white space
 * and what the renderer adds are ignored.
 */
export function endOfText(source: string, rows: readonly string[]): number {
  const text = rows.map(row => stripControls(row).replace(MARKS, '').replaceAll(/\s/g, '')).join('');
  let end = 0;
  for (let index = 0; index < text.length; index++) {
    const at = nextOf(text.slice(index, index + FOLLOWING), source, end);
    if (at !== undefined) end = at + 1;
  }
  return end;
}

/** Where the first of these characters stands next in the source, unless that is another one of its kind. */
function nextOf(characters: string, source: string, start: number): number | undefined {
  const first = characters.charAt(0);
  for (let at = source.indexOf(first, start); at >= 0 && at - start <= AHEAD; ) {
    if (at - start <= NEAR || follow(characters, source, at)) return at;
    at = source.indexOf(first, at + 1);
  }
  return undefined;
}

function follow(characters: string, source: string, at: number): boolean {
  return source
    .slice(at, at + AHEAD)
    .replaceAll(/\s/g, '')
    .startsWith(characters);
}
