import { jsonBody } from '../bodies/json-body.ts';
import { JSON_STRINGS } from '../bodies/strings.ts';
import type { CallRegion } from '../types/format.ts';

const KEYS = 'name|type|function|tool|tool_name|function_name|parameters|arguments';
const FENCE = '```[a-z_-]*[ \\t]*\\n\\s*';
const STARTS = new RegExp(`^([\\s;,]*)(${FENCE})?(?:\\[\\s*)?\\{\\s*["'](?:${KEYS})["']\\s*:`);
const MAY = new RegExp(
  `^[\\s;,]*(?:\`{0,2}$|\`\`\`[a-z_-]*[ \\t]*$|(?:${FENCE})?(?:$|\\[\\s*$|(?:\\[\\s*)?\\{\\s*(?:$|["'](?:[a-z_]*$|(?:${KEYS})["']\\s*$))))`,
);
/** Characters within which a reply must look like a call. */
const WINDOW = 160;

/**
 * A reply that is nothing but the JSON of a call, or that in a code fence: small models leave the marks out. Returns
 * its region, 'wait' while that is open, or 'no'.
 */
export function bareRegion(text: string, at: number, final: boolean): CallRegion | 'wait' | 'no' {
  const head = text.slice(at, at + WINDOW);
  const match = STARTS.exec(head);
  if (match) {
    const [, space = '', fence] = match;
    return {
      opener: space + (fence ?? ''),
      ...(fence !== undefined && { closer: '```' }),
      breakers: [],
      strings: JSON_STRINGS,
      read: jsonBody,
    };
  }
  return !final && head.length < WINDOW && MAY.test(head) ? 'wait' : 'no';
}
