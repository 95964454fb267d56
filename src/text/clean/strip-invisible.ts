// Tag characters are allowed only after a black flag, where they spell a region's flag.
const FLAG = /\u{1F3F4}[\u{E0020}-\u{E007E}]{1,8}\u{E007F}/gu;
const INVISIBLE =
  /[\u{E0000}-\u{E007F}]|[\u{E0100}-\u{E01EF}]|[\u200B\u2060-\u2064\uFEFF\u180E\u202A-\u202E\u2066-\u206F\uFFF9-\uFFFB]/gu;

/**
 * Removes characters people cannot see but models read (tag characters, zero-width spaces, supplementary variation
 * selectors) and those that disguise text (bidirectional overrides and isolates). Joiners and emoji variation selectors
 * stay: scripts and emoji need them.
 */
export function stripInvisible(text: string): string {
  let result = '';
  let end = 0;
  for (const flag of text.matchAll(FLAG)) {
    result += text.slice(end, flag.index).replace(INVISIBLE, '') + flag[0];
    end = flag.index + flag[0].length;
  }
  return result + text.slice(end).replace(INVISIBLE, '');
}
