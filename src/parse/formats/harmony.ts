import { writeJson } from '../lenient-json.ts';
import type { ChatFormat } from './format.ts';

/** gpt-oss: a reply is a sequence of channels; a call is a message to `functions.name`. */
export const harmony: ChatFormat = {
  id: 'harmony',
  when: [['<|channel|>', '<|message|>']],
  channels: 'harmony',
  calls: [],
  thinking: [{ opener: '<|channel|>analysis<|message|>', closer: '<|end|>' }],
  writeCalls: calls =>
    calls
      .map(
        (call, index) =>
          `${index === 0 ? '' : '<|start|>assistant'} to=functions.${call.name}<|channel|>commentary json<|message|>${writeJson(call.arguments)}<|call|>`,
      )
      .join(''),
  writeResult: content => content,
};
