import { stripControls } from '../../text/clean/strip-controls.ts';

/** How far ahead in the source a character is looked for; what is not there was made by the renderer, such as a bullet. */
const AHEAD = 80;

/** What the renderer puts before a row. A number may be another one in the source, and stand there further on. */
const MARKS = /^(?:[│•\s]|\d+\. |\[[ x]\] )+/;

/**
 * The index in a markdown source behind the rows that were rendered from its beginning. Markup is passed over, white space
 * and what the renderer adds are ignored.
 */
export function endOfText(source: string, rows: readonly string[]): number {
  let end = 0;
  for (const character of rows.map(row => stripControls(row).replace(MARKS, '')).join('')) {
    if (/\s/.test(character)) continue;
    const at = source.indexOf(character, end);
    if (at >= 0 && at - end <= AHEAD) end = at + character.length;
  }
  return end;
}
