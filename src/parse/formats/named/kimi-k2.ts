import { nameThenJson } from '../../bodies/name-then-json.ts';
import { JSON_STRINGS } from '../../bodies/strings.ts';
import { writeJson } from '../../json/lenient-json.ts';
import type { ChatFormat } from '../../types/format.ts';
import { THINK } from '../../types/thinking.ts';

const ARGUMENTS = '<|tool_call_argument_begin|>';

/** Kimi K2: the id of a call is `functions.name:index`, the only place that has its name. */
export const kimiK2: ChatFormat = {
  id: 'kimi-k2',
  when: ['<|tool_call_argument_begin|>', '<|tool_calls_section_begin|>'],
  calls: [
    {
      opener: '<|tool_call_begin|>',
      closer: '<|tool_call_end|>',
      strings: JSON_STRINGS,
      breakers: ['<|tool_call_begin|>', '<|tool_calls_section_end|>'],
      follows: {
        starts: /^\s{0,8}(?:[{[]|[^\s<]{1,80}\s{0,8}<\|tool_call_argument_begin\|>)/,
        may: /^\s{0,8}(?:[^\s<]{1,80}\s{0,8}(?:<[|a-z_]{0,26})?)?$/,
      },
      read: nameThenJson(
        /^(?:functions\.)?(?<name>[^\s<:]+)(?::\d+)?\s*<\|tool_call_argument_begin\|>(?<args>[\s\S]*)$/,
      ),
      layout: { kind: 'named', before: '"functions."', between: `":" [0-9]{1,4} "${ARGUMENTS}"` },
    },
  ],
  callStructure: ['<|tool_calls_section_begin|>', '<|tool_calls_section_end|>'],
  thinking: THINK,
  writeCalls: calls => {
    const written = calls.map(
      (call, index) =>
        `<|tool_call_begin|>functions.${call.name}:${index}${ARGUMENTS}${writeJson(call.arguments)}<|tool_call_end|>`,
    );
    return `<|tool_calls_section_begin|>${written.join('')}<|tool_calls_section_end|>`;
  },
  writeResult: (content, name) => `## Return of ${name}\n${content}`,
};
