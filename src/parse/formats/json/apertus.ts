import { keyedJsonBody } from '../../bodies/json-body.ts';
import { JSON_FOLLOWS, JSON_STRINGS } from '../../bodies/strings.ts';
import { writeJson } from '../../json/lenient-json.ts';
import type { ChatFormat } from '../../types/format.ts';

/** Apertus: a list of objects whose only key is the tool's name. */
export const apertus: ChatFormat = {
  id: 'apertus',
  when: ['<|tools_prefix|>'],
  calls: [
    {
      opener: '<|tools_prefix|>',
      closer: '<|tools_suffix|>',
      strings: JSON_STRINGS,
      follows: JSON_FOLLOWS,
      read: keyedJsonBody,
      layout: { kind: 'keyed' },
    },
  ],
  thinking: [{ opener: '<|inner_prefix|>', closer: '<|inner_suffix|>' }],
  writeCalls: calls =>
    `<|tools_prefix|>${writeJson(calls.map(call => ({ [call.name]: call.arguments })))}<|tools_suffix|>`,
  writeResult: content => `[${content}]`,
};
