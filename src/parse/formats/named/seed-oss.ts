import type { ChatFormat } from '../../types/format.ts';
import { functionRegions, writeFunction } from './qwen3-coder.ts';

/** Seed-OSS: Qwen3-Coder's functions inside other marks; no newlines around values. */
export const seedOss: ChatFormat = {
  id: 'seed-oss',
  when: ['<seed:tool_call>'],
  calls: functionRegions('seed:tool_call', 'pair'),
  callStructure: ['</seed:tool_call>'],
  thinking: [{ opener: '<seed:think>', closer: '</seed:think>' }],
  writeCalls: calls =>
    calls.map(call => `<seed:tool_call>\n${writeFunction(call, '')}\n</seed:tool_call>`).join('\n'),
  writeResult: content => content,
};
