import { nameThenJson } from '../../bodies/name-then-json.ts';
import { JSON_STRINGS } from '../../bodies/strings.ts';
import { writeJson } from '../../json/lenient-json.ts';
import type { CallRegion, ChatFormat } from '../../types/format.ts';

/** A call, from the recipient in the header of its message to the end of its arguments. */
export const recipientRegion: CallRegion = {
  opener: 'to=functions.',
  closer: '<|call|>',
  closerEndsReply: true,
  breakers: ['<|end|>', '<|return|>', '<|start|>'],
  strings: JSON_STRINGS,
  read: nameThenJson(/^(?<name>[^\s<]+)[\s\S]*?<\|message\|>(?<args>[\s\S]*)$/),
  layout: {
    kind: 'named',
    atOnce: true,
    between: '("<|channel|>" ("commentary" | "analysis"))? (" "? "<|constrain|>"? "json")? "<|message|>"',
  },
};

/** gpt-oss: a reply is a sequence of channels; a call is a message to `functions.name`. */
export const harmony: ChatFormat = {
  id: 'harmony',
  when: [['<|channel|>', '<|message|>']],
  channels: 'harmony',
  calls: [recipientRegion],
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
