import type { ChatFormat } from '../../types/format.ts';
import { hunyuan, toolCallsRegion } from './hunyuan.ts';

/** Apriel 1.5 and 1.6: Hunyuan's calls; thinking is prose that ends with a mark. */
export const apriel: ChatFormat = {
  ...hunyuan,
  id: 'apriel',
  when: [
    ['<tool_calls>', '[BEGIN FINAL RESPONSE]'],
    ['<tool_calls>', '<|begin_assistant|>'],
  ],
  calls: [{ ...toolCallsRegion, follows: { starts: /^\s{0,8}\[\s{0,8}\{/, may: /^\s{0,8}(?:\[\s{0,8})?$/ } }],
  structure: ['[BEGIN FINAL RESPONSE]', '[END FINAL RESPONSE]'],
  thinking: [{ opener: 'Here are my reasoning steps:\n', closer: '[BEGIN FINAL RESPONSE]' }],
  writeResult: content => content,
};
