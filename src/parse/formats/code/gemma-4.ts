import { braceBody, writeBraces } from '../../bodies/brace-body.ts';
import { rawSpan } from '../../bodies/strings.ts';
import type { ChatFormat } from '../../types/format.ts';

const MARK = '<|"|>';

/** Gemma 4: bare keys, strings between special marks. */
export const gemma4: ChatFormat = {
  id: 'gemma-4',
  when: [['<|tool_call>', '<tool_call|>']],
  calls: [
    {
      opener: '<|tool_call>',
      closer: '<tool_call|>',
      strings: [rawSpan(MARK, MARK)],
      follows: { starts: /^\s{0,8}[\w.:-]{1,80}\s{0,8}\{/, may: /^\s{0,8}[\w.:-]{0,80}\s{0,8}$/ },
      read: braceBody(MARK),
    },
  ],
  thinking: [{ opener: '<|channel>thought\n', closer: '<channel|>' }],
  writeCalls: calls => calls.map(call => `<|tool_call>${writeBraces(call, MARK)}<tool_call|>`).join(''),
  writeResult: (content, name) =>
    `<|tool_response>response:${name}{value:${MARK}${content}${MARK}}<tool_response|>`,
};
