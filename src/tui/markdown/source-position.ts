import { stripControls } from '../../text/clean/strip-controls.ts';

/** How far ahead in the source a character is looked for; what is not there was made by the renderer, such as a bullet. */
const AHEAD = 80;

/**
 * The index in a markdown source behind the text that was rendered from its beginning. Markup is passed over, white space
 * and what the renderer adds are ignored.
 */
export function endOfText(source: string, rendered: string): number {
  let end = 0;
  for (const character of stripControls(rendered)) {
    if (/\s/.test(character)) continue;
    const at = source.indexOf(character, end);
    if (at >= 0 && at - end <= AHEAD) end = at + character.length;
  }
  return end;
}
