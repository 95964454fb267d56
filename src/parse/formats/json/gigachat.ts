import { jsonBody } from '../../bodies/json-body.ts';
import { JSON_STRINGS } from '../../bodies/strings.ts';
import type { ChatFormat } from '../../types/format.ts';
import { jsonCall, OBJECT_LAYOUT } from './hermes.ts';

/** GigaChat 3: a call is a separate message. */
export const gigaChat: ChatFormat = {
  id: 'gigachat',
  when: [['function call', '<|role_sep|>']],
  calls: [
    { opener: 'function call<|role_sep|>\n', strings: JSON_STRINGS, read: jsonBody, layout: OBJECT_LAYOUT },
  ],
  structure: ['<|message_sep|>\n\n', '<|message_sep|>'],
  thinking: [],
  writeCalls: calls =>
    calls.map(call => `<|message_sep|>\n\nfunction call<|role_sep|>\n${jsonCall(call)}`).join(''),
  writeResult: content => content,
};
