import { rawSpan } from '../../bodies/strings.ts';
import { type TagDialect, taggedBody } from '../../bodies/tagged-body.ts';
import { writeJson } from '../../json/lenient-json.ts';
import type { BodyCall, CallRegion, ChatFormat, ReadBody } from '../../types/format.ts';
import { THINK } from '../../types/thinking.ts';

const STRINGS = [rawSpan('<parameter=', '</parameter>')];

const functionTags = (newlines: TagDialect['newlines']): ReadBody =>
  taggedBody({
    call: /<function=(?<name>[^>\n]{1,200})>/y,
    callEnd: '</function>',
    parameter: /<parameter=(?<key>[^>\n]{1,200})>/y,
    parameterEnd: '</parameter>',
    newlines,
  });

/** Models forget the outer mark, so it may be missing. */
export function functionRegions(tag: string, newlines: TagDialect['newlines']): CallRegion[] {
  const read = functionTags(newlines);
  return [
    {
      opener: `<${tag}>`,
      closer: `</${tag}>`,
      strings: STRINGS,
      follows: { starts: /^\s{0,32}[{[]|^\s{0,32}<function=/, may: /^\s{0,32}(?:<[a-z]{0,8}=?)?$/ },
      read,
    },
    {
      opener: '<function=',
      closer: '</function>',
      strings: STRINGS,
      keepsOpener: true,
      follows: {
        starts: /^[\w.:-]{1,64}>\s{0,32}<(?:parameter=|\/function>)/,
        may: /^[\w.:-]{0,64}(?:>\s{0,32}(?:<[a-z/]{0,10})?)?$/,
      },
      read,
    },
  ];
}

export function writeFunction(call: BodyCall, newline: string): string {
  const parameters = Object.entries(call.arguments).map(
    ([key, value]) => `<parameter=${key}>${newline}${rawValue(value)}${newline}</parameter>\n`,
  );
  return `<function=${call.name}>\n${parameters.join('')}</function>`;
}

/** Strings as they are, everything else as JSON. */
export function rawValue(value: unknown): string {
  return typeof value === 'string' ? value : writeJson(value);
}

/** Qwen3-Coder, Qwen 3.5 and 3.6, Nemotron 3, Step 3.5, Granite 4.2. */
export const qwen3Coder: ChatFormat = {
  id: 'qwen3-coder',
  when: [['<function=', '<parameter=']],
  calls: functionRegions('tool_call', 'each'),
  callStructure: ['</tool_call>'],
  thinking: THINK,
  writeCalls: calls =>
    calls.map(call => `<tool_call>\n${writeFunction(call, '\n')}\n</tool_call>`).join('\n'),
  writeResult: content => `<tool_response>\n${content}\n</tool_response>`,
};
