import { jsonBody } from '../../bodies/json-body.ts';
import { JSON_STRINGS } from '../../bodies/strings.ts';
import type { CallRegion, ChatFormat } from '../../types/format.ts';
import { THINK } from '../../types/thinking.ts';
import { jsonCall, LIST_LAYOUT } from './hermes.ts';

export const toolCallsRegion: CallRegion = {
  opener: '<tool_calls>',
  closer: '</tool_calls>',
  strings: JSON_STRINGS,
  stringsIf: /[{[]/,
  // This family mentions its marks while thinking; only those after it count.
  follows: { starts: /^(?!)/, may: /^(?!)/ },
  read: jsonBody,
  layout: LIST_LAYOUT,
};

/** Hunyuan A13B: a JSON list in plural tags. */
export const hunyuan: ChatFormat = {
  id: 'hunyuan',
  when: ['<tool_calls>'],
  calls: [toolCallsRegion],
  structure: ['<answer>', '</answer>'],
  thinking: THINK,
  writeCalls: calls => `<tool_calls>[${calls.map(call => jsonCall(call)).join(', ')}]</tool_calls>`,
  writeResult: content => `<tool_responses>${content}</tool_responses>`,
};
