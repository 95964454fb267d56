import { pythonicBody, writePythonic } from '../../bodies/pythonic-body.ts';
import { PYTHON_FOLLOWS, PYTHON_STRINGS } from '../../bodies/strings.ts';
import type { ChatFormat } from '../../types/format.ts';
import { THINK } from '../../types/thinking.ts';

/** LFM2 and LFM2.5: a Python list of calls between special tokens. */
export const lfm2: ChatFormat = {
  id: 'lfm2',
  when: ['<|tool_call_start|>', '<|tool_list_start|>'],
  calls: [
    {
      opener: '<|tool_call_start|>',
      closer: '<|tool_call_end|>',
      strings: PYTHON_STRINGS,
      follows: PYTHON_FOLLOWS,
      read: pythonicBody,
    },
  ],
  thinking: THINK,
  writeCalls: calls => `<|tool_call_start|>[${writePythonic(calls)}]<|tool_call_end|>`,
  writeResult: content => `<|tool_response_start|>${content}<|tool_response_end|>`,
};
