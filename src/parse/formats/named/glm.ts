import { rawSpan } from '../../bodies/strings.ts';
import { taggedBody } from '../../bodies/tagged-body.ts';
import type { ChatFormat } from '../../types/format.ts';
import { THINK } from '../../types/thinking.ts';
import { rawValue } from './qwen3-coder.ts';

const read = taggedBody({
  call: /(?<name>[^\s<{[]{1,200})/y,
  callEnd: '',
  parameter: /<arg_key>(?<key>[^<]{0,200})<\/arg_key>\s{0,20}<arg_value>/y,
  parameterEnd: '</arg_value>',
  newlines: 'none',
});

/** GLM 4.5 to 4.7, Laguna, Ling 3: a name, then tagged key-value pairs. */
export const glm: ChatFormat = {
  id: 'glm',
  when: ['<arg_key>'],
  calls: [
    {
      opener: '<tool_call>',
      closer: '</tool_call>',
      strings: [rawSpan('<arg_value>', '</arg_value>')],
      follows: {
        starts: /^\s{0,8}(?:[{[]|[\w.-]{1,64}\s{0,8}<(?:arg_key>|\/tool_call>))/,
        may: /^\s{0,8}[\w.-]{0,64}\s{0,8}(?:<[a-z_/]{0,10})?$/,
      },
      read,
    },
  ],
  thinking: THINK,
  writeCalls: calls =>
    calls
      .map(call => {
        const pairs = Object.entries(call.arguments).map(
          ([key, value]) => `<arg_key>${key}</arg_key>\n<arg_value>${rawValue(value)}</arg_value>\n`,
        );
        return `<tool_call>${call.name}\n${pairs.join('')}</tool_call>`;
      })
      .join('\n'),
  writeResult: content => `<tool_response>\n${content}\n</tool_response>`,
};
