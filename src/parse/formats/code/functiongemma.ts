import { braceBody, writeBraces } from '../../bodies/brace-body.ts';
import { rawSpan } from '../../bodies/strings.ts';
import type { ChatFormat } from '../../types/format.ts';

const MARK = '<escape>';

/** FunctionGemma: Gemma 4's form with older marks. */
export const functionGemma: ChatFormat = {
  id: 'functiongemma',
  when: ['<start_function_call>'],
  calls: [
    {
      opener: '<start_function_call>',
      closer: '<end_function_call>',
      strings: [rawSpan(MARK, MARK)],
      read: braceBody(MARK),
    },
  ],
  thinking: [],
  writeCalls: calls =>
    calls.map(call => `<start_function_call>${writeBraces(call, MARK)}<end_function_call>`).join(''),
  writeResult: (content, name) =>
    `<start_function_response>response:${name}{value:${MARK}${content}${MARK}}<end_function_response>`,
};
