import { jsonBody } from '../bodies/json-body.ts';
import { JSON_STRINGS } from '../bodies/strings.ts';
import type { CallRegion } from '../types/format.ts';

const KEYS = 'name|type|function|tool|tool_name|function_name|parameters|arguments';
const FENCE = '```[a-z_-]*[ \\t]*\\n\\s*';
const STARTS = new RegExp(`^([\\s;,]*)(${FENCE})?(?:\\[\\s*)?\\{\\s*["'](?:${KEYS})["']\\s*:`);
const MAY = new RegExp(
  `^[\\s;,]*(?:\`{0,2}$|\`\`\`[a-z_-]*[ \\t]*$|(?:${FENCE})?(?:$|\\[\\s*$|(?:\\[\\s*)?\\{\\s*(?:$|["'](?:[a-z_]*$|(?:${KEYS})["']\\s*$))))`,
);
/** A reply must look like a call within this many characters. */
const WINDOW = 160;

/**
 * A reply that is only the JSON of a call, possibly in a code fence: small models omit the marks. Returns its region,
 * 'wait' while undecided, or 'no'.
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
