import { pythonicBody, writePythonic } from '../../bodies/pythonic-body.ts';
import { PYTHON_FOLLOWS, PYTHON_STRINGS } from '../../bodies/strings.ts';
import type { CallRegion, ChatFormat } from '../../types/format.ts';

const fence = (opener: string): CallRegion => ({
  opener,
  closer: '```',
  strings: PYTHON_STRINGS,
  follows: PYTHON_FOLLOWS,
  read: pythonicBody,
});

/** Gemma 2 and 3 have no format of their own: Python calls in a code fence, as Google's guide suggests. */
export const gemma3: ChatFormat = {
  id: 'gemma-3',
  when: [],
  calls: [fence('```tool_code'), fence('```tool_call'), fence('```tool_calls')],
  thinking: [],
  writeCalls: calls => `\`\`\`tool_code\n${writePythonic(calls, '\n')}\n\`\`\``,
  writeResult: content => `\`\`\`tool_output\n${content}\n\`\`\``,
};
