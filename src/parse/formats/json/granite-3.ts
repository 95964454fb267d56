import { jsonBody } from '../../bodies/json-body.ts';
import { JSON_FOLLOWS, JSON_STRINGS } from '../../bodies/strings.ts';
import type { ChatFormat } from '../../types/format.ts';
import { jsonCall, LIST_LAYOUT } from './hermes.ts';

/** Granite 3.0 to 3.3: a list from a mark to the end of the reply. 3.1 writes the mark without bars. */
export const granite3: ChatFormat = {
  id: 'granite-3',
  when: ['<|tool_call|>'],
  calls: [
    {
      opener: '<|tool_call|>',
      strings: JSON_STRINGS,
      follows: JSON_FOLLOWS,
      read: jsonBody,
      layout: LIST_LAYOUT,
    },
    {
      opener: '<tool_call>',
      strings: JSON_STRINGS,
      breakers: ['<tool_call>', '</tool_call>'],
      follows: JSON_FOLLOWS,
      read: jsonBody,
      layout: LIST_LAYOUT,
    },
  ],
  structure: ['<response>', '</response>'],
  callStructure: ['</tool_call>'],
  thinking: [
    { opener: '<think>', closer: '</think>' },
    { opener: 'Here is my thought process:', closer: 'Here is my response:' },
  ],
  writeCalls: calls => `<|tool_call|>[${calls.map(call => jsonCall(call)).join(', ')}]`,
  writeResult: content => content,
};
