import { jsonBody } from '../../bodies/json-body.ts';
import { JSON_FOLLOWS, JSON_STRINGS } from '../../bodies/strings.ts';
import { writeJson } from '../../json/lenient-json.ts';
import type { BodyCall, ChatFormat, ObjectLayout } from '../../types/format.ts';
import { THINK } from '../../types/thinking.ts';

export const OBJECT_LAYOUT: ObjectLayout = { kind: 'object', name: 'name', arguments: 'arguments' };

export const LIST_LAYOUT: ObjectLayout = { ...OBJECT_LAYOUT, list: 'only' };

/** Hermes 2 and 3, Qwen 2.5 and 3, QwQ, Granite 4.0 and 4.1, the demo, and the prompt protocol. */
export const hermes: ChatFormat = {
  id: 'hermes',
  when: ['<tool_call>'],
  calls: [
    {
      opener: '<tool_call>',
      closer: '</tool_call>',
      strings: JSON_STRINGS,
      // A body that is not JSON has no strings either, and ends at the first closer.
      stringsIf: /[{[]/,
      follows: JSON_FOLLOWS,
      read: jsonBody,
      layout: OBJECT_LAYOUT,
    },
  ],
  thinking: THINK,
  writeCalls: calls => calls.map(call => `<tool_call>\n${jsonCall(call)}\n</tool_call>`).join('\n'),
  writeResult: content => `<tool_response>\n${content}\n</tool_response>`,
};

/** `{"name": ..., "arguments": ...}`; `key` names the arguments. */
export function jsonCall(call: BodyCall, key = 'arguments'): string {
  return writeJson({ name: call.name, [key]: call.arguments });
}
