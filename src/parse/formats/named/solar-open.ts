import { nameThenJson } from '../../bodies/name-then-json.ts';
import { JSON_STRINGS } from '../../bodies/strings.ts';
import { writeJson } from '../../json/lenient-json.ts';
import type { ChatFormat } from '../../types/format.ts';

/** Solar Open: id, name and arguments, each after a mark. */
export const solarOpen: ChatFormat = {
  id: 'solar-open',
  when: ['<|tool_call:begin|>'],
  calls: [
    {
      opener: '<|tool_call:begin|>',
      closer: '<|tool_call:end|>',
      strings: JSON_STRINGS,
      breakers: ['<|tool_call:begin|>', '<|calls|>'],
      follows: {
        starts: /^(?:\s{0,8}[{[]|[^<]{0,64}<\|tool_call:name\|>)/,
        may: /^[^<]{0,64}(?:<[|a-z_:]{0,16})?$/,
      },
      read: nameThenJson(/^[^<]*<\|tool_call:name\|>(?<name>[^<]+)<\|tool_call:args\|>(?<args>[\s\S]*)$/),
      layout: {
        kind: 'named',
        before: '[0-9A-Za-z_-]{1,40} "<|tool_call:name|>"',
        between: '"<|tool_call:args|>"',
      },
    },
  ],
  structure: ['<|content|>', '<|end|>', '<|begin|>assistant'],
  callStructure: ['<|tool_calls|>', '<|calls|>'],
  thinking: [{ opener: '<|think|>', closer: '<|end|><|begin|>assistant' }],
  writeCalls: calls => {
    const written = calls.map(
      (call, index) =>
        `<|tool_call:begin|>call_${index}<|tool_call:name|>${call.name}<|tool_call:args|>${writeJson(call.arguments)}<|tool_call:end|>`,
    );
    return `<|tool_calls|>${written.join('')}<|calls|>`;
  },
  writeResult: content => content,
};
