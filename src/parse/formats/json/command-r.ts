import { jsonBody } from '../../bodies/json-body.ts';
import { JSON_FOLLOWS, JSON_STRINGS } from '../../bodies/strings.ts';
import { writeJson } from '../../json/lenient-json.ts';
import type { CallLayout, ChatFormat } from '../../types/format.ts';

const ACTIONS: CallLayout = { kind: 'object', name: 'tool_name', arguments: 'parameters', list: 'only' };

/** Command R7B and Command A: a numbered list of actions; thinking, answer and actions each have marks. */
export const commandR7b: ChatFormat = {
  id: 'command-r7b',
  when: ['<|START_ACTION|>'],
  calls: [
    {
      opener: '<|START_ACTION|>',
      closer: '<|END_ACTION|>',
      strings: JSON_STRINGS,
      stringsIf: /[{[]/,
      follows: JSON_FOLLOWS,
      read: jsonBody,
      layout: { ...ACTIONS, before: ['tool_call_id'] },
    },
  ],
  structure: ['<|START_RESPONSE|>', '<|END_RESPONSE|>', '<|START_TEXT|>', '<|END_TEXT|>'],
  thinking: [{ opener: '<|START_THINKING|>', closer: '<|END_THINKING|>' }],
  writeCalls: calls => {
    const items = calls.map((call, index) =>
      writeJson({ tool_call_id: String(index), tool_name: call.name, parameters: call.arguments }),
    );
    return `<|START_ACTION|>[\n    ${items.join(',\n    ')}\n]<|END_ACTION|>`;
  },
  writeResult: content => `<|START_TOOL_RESULT|>${content}<|END_TOOL_RESULT|>`,
};

/** Command R+: fenced JSON after a word. */
export const commandR: ChatFormat = {
  id: 'command-r',
  when: [['Action:', '"tool_name"']],
  calls: [
    { opener: 'Action:```json', closer: '```', strings: JSON_STRINGS, read: jsonBody, layout: ACTIONS },
    { opener: 'Action: ```json', closer: '```', strings: JSON_STRINGS, read: jsonBody, layout: ACTIONS },
    { opener: 'Action:\n```json', closer: '```', strings: JSON_STRINGS, read: jsonBody, layout: ACTIONS },
  ],
  thinking: [],
  writeCalls: calls =>
    `Action: \`\`\`json\n${writeJson(calls.map(call => ({ tool_name: call.name, parameters: call.arguments })))}\n\`\`\``,
  writeResult: content => `<results>\n${content}\n</results>`,
};
