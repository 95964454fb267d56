import { jsonBody } from '../../bodies/json-body.ts';
import { JSON_FOLLOWS, JSON_STRINGS } from '../../bodies/strings.ts';
import type { ChatFormat } from '../../types/format.ts';
import { THINK } from '../../types/thinking.ts';
import { jsonCall, OBJECT_LAYOUT } from './hermes.ts';

/** Phi-4-mini and Firefunction: `functools` before a list; Phi's model card puts marks around it instead. */
export const phi4Mini: ChatFormat = {
  id: 'phi-4-mini',
  when: ['<|tool|>', 'functools'],
  calls: [
    {
      opener: 'functools[',
      strings: JSON_STRINGS,
      follows: JSON_FOLLOWS,
      read: (body, context) => jsonBody(`[${body}`, context),
      layout: { ...OBJECT_LAYOUT, list: 'opened' },
    },
    {
      opener: '<|tool_call|>',
      closer: '<|/tool_call|>',
      strings: JSON_STRINGS,
      follows: JSON_FOLLOWS,
      read: jsonBody,
      layout: OBJECT_LAYOUT,
    },
  ],
  thinking: THINK,
  writeCalls: calls => `functools[${calls.map(call => jsonCall(call)).join(', ')}]`,
  writeResult: content => content,
};
