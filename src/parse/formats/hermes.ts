import type { ChatFormat } from './format.ts';
import { jsonBody } from './json-body.ts';

/** Hermes 2 and 3, Qwen 2.5 and 3, QwQ, Granite 4.0 and 4.1, the demo, and the prompt protocol. */
export const hermes: ChatFormat = {
  id: 'hermes',
  when: ['<tool_call>'],
  call: { opener: '<tool_call>', closer: '</tool_call>' },
  body: jsonBody,
  thinking: { opener: '<think>', closer: '</think>' },
  writeCall: call =>
    `<tool_call>\n${JSON.stringify({ name: call.name, arguments: call.arguments })}\n</tool_call>`,
  writeResult: content => `<tool_response>\n${content}\n</tool_response>`,
  stops: [],
};
