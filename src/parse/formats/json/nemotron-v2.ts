import { jsonBody } from '../../bodies/json-body.ts';
import { JSON_FOLLOWS, JSON_STRINGS } from '../../bodies/strings.ts';
import type { ChatFormat } from '../../types/format.ts';
import { THINK } from '../../types/thinking.ts';
import { jsonCall, LIST_LAYOUT } from './hermes.ts';

/** Nemotron Nano v2 and Llama-Nemotron: a JSON list in capital tags. */
export const nemotronV2: ChatFormat = {
  id: 'nemotron-v2',
  when: ['<TOOLCALL>'],
  calls: [
    {
      opener: '<TOOLCALL>',
      closer: '</TOOLCALL>',
      strings: JSON_STRINGS,
      stringsIf: /[{[]/,
      follows: JSON_FOLLOWS,
      read: jsonBody,
      layout: LIST_LAYOUT,
    },
  ],
  thinking: THINK,
  writeCalls: calls => `<TOOLCALL>[${calls.map(call => jsonCall(call)).join(', ')}]</TOOLCALL>`,
  writeResult: content => `<TOOL_RESPONSE>[${content}]</TOOL_RESPONSE>`,
};
