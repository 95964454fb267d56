import { nameThenJson } from '../../bodies/name-then-json.ts';
import { JSON_STRINGS, rawSpan } from '../../bodies/strings.ts';
import { taggedBody } from '../../bodies/tagged-body.ts';
import { writeJson } from '../../json/lenient-json.ts';
import type { BodyCall, CallLayout, CallRegion, ChatFormat } from '../../types/format.ts';
import { THINK } from '../../types/thinking.ts';
import { rawValue } from './qwen3-coder.ts';

const BEGIN = '<｜tool▁call▁begin｜>';
const END = '<｜tool▁call▁end｜>';
const SEPARATOR = '<｜tool▁sep｜>';

const region: CallRegion = {
  opener: BEGIN,
  closer: END,
  strings: JSON_STRINGS,
  breakers: [BEGIN, '<｜tool▁calls▁end｜>'],
  follows: {
    starts: /^\s{0,8}(?:[{[]|[^\s<`{]{1,64}\s{0,8}(?:<｜tool▁sep｜>|```|\{))/,
    may: /^\s{0,8}(?:[^\s<`{]{1,64}\s{0,8}(?:`{1,2}|<[^\s<>]{0,10})?)?$/,
  },
  read: nameThenJson(
    /^(?:function<｜tool▁sep｜>)?(?<name>[^<\s]+)(?:\s*<｜tool▁sep｜>)?\s*(?<args>(?:```|\{)[\s\S]*)?$/,
  ),
};

const shared = {
  callStructure: ['<｜tool▁calls▁begin｜>', '<｜tool▁calls▁end｜>'],
  thinking: THINK,
  writeResult: (content: string) => `<｜tool▁output▁begin｜>${content}<｜tool▁output▁end｜>`,
} as const;

const section = (calls: readonly string[]) =>
  `<｜tool▁calls▁begin｜>${calls.map(call => BEGIN + call + END).join('')}<｜tool▁calls▁end｜>`;

const fenced: CallLayout = {
  kind: 'named',
  before: `"function${SEPARATOR}"`,
  between: '"\\n```json\\n"',
  after: '"\\n```"',
};

/** DeepSeek V3, R1 and its distillations: name and fenced JSON. */
export const deepseekV3: ChatFormat = {
  ...shared,
  calls: [{ ...region, layout: fenced }],
  id: 'deepseek-v3',
  when: ["'<｜tool▁call▁begin｜>' + tool['type']", [BEGIN, '```json'], '<｜tool▁outputs▁begin｜>'],
  writeCalls: calls =>
    section(
      calls.map(call => `function${SEPARATOR}${call.name}\n\`\`\`json\n${writeJson(call.arguments)}\n\`\`\``),
    ),
};

/** DeepSeek V3.1: name and plain JSON. */
export const deepseekV31: ChatFormat = {
  ...shared,
  calls: [{ ...region, layout: { kind: 'named', between: `"${SEPARATOR}"` } }],
  id: 'deepseek-v3.1',
  when: [BEGIN],
  writeCalls: calls => section(calls.map(call => call.name + SEPARATOR + writeJson(call.arguments))),
};

const dsml = taggedBody({
  call: /<｜DSML｜invoke name="(?<name>[^"]{1,200})">/y,
  callEnd: '</｜DSML｜invoke>',
  parameter: /<｜DSML｜parameter name="(?<key>[^"]{0,200})"(?: string="(?<string>true|false)")?>/y,
  parameterEnd: '</｜DSML｜parameter>',
  newlines: 'none',
});

const INVOKE_FOLLOWS = {
  starts: /^\s{0,32}(?:[{[]|<｜DSML｜invoke name=)/,
  may: /^\s{0,32}(?:<[^\s<>]{0,12}(?: [a-z]{0,4})?)?$/,
};

function invoke(call: BodyCall): string {
  const parameters = Object.entries(call.arguments).map(
    ([key, value]) =>
      `<｜DSML｜parameter name="${key}" string="${typeof value === 'string'}">${rawValue(value)}</｜DSML｜parameter>\n`,
  );
  return `<｜DSML｜invoke name="${call.name}">\n${parameters.join('')}</｜DSML｜invoke>\n`;
}

function dsmlFormat(id: string, section: string, result: (content: string) => string): ChatFormat {
  const opener = `<｜DSML｜${section}>`;
  const closer = `</｜DSML｜${section}>`;
  const strings = [rawSpan('<｜DSML｜parameter ', '</｜DSML｜parameter>')];
  return {
    id,
    when: [opener, ['<｜DSML｜', `｜${section}>`], ['｜DSML｜', section]],
    calls: [{ opener, closer, strings, follows: INVOKE_FOLLOWS, read: dsml }],
    thinking: THINK,
    writeCalls: calls => `${opener}\n${calls.map(invoke).join('')}${closer}`,
    writeResult: result,
  };
}

/** DeepSeek V3.2: tags that say whether a value is a string. */
export const deepseekV32 = dsmlFormat(
  'deepseek-v3.2',
  'function_calls',
  content => `<function_results>\n<result>${content}</result>\n</function_results>`,
);

/** DeepSeek V4: the same tags in a section with another name. */
export const deepseekV4 = dsmlFormat(
  'deepseek-v4',
  'tool_calls',
  content => `<tool_result>${content}</tool_result>`,
);
