import { pythonicBody, writePythonic } from '../../bodies/pythonic-body.ts';
import { PYTHON_FOLLOWS, PYTHON_STRINGS } from '../../bodies/strings.ts';
import type { ChatFormat } from '../../types/format.ts';
import { THINK } from '../../types/thinking.ts';

/** Olmo 3: Python calls, one per line. */
export const olmo3: ChatFormat = {
  id: 'olmo3',
  when: ['<function_calls>'],
  calls: [
    {
      opener: '<function_calls>',
      closer: '</function_calls>',
      strings: PYTHON_STRINGS,
      follows: PYTHON_FOLLOWS,
      read: pythonicBody,
    },
  ],
  thinking: THINK,
  writeCalls: calls => `<function_calls>${writePythonic(calls, '\n')}</function_calls>`,
  writeResult: content => content,
};
