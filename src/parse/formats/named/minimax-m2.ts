import { rawSpan } from '../../bodies/strings.ts';
import { taggedBody } from '../../bodies/tagged-body.ts';
import type { BodyCall, ChatFormat } from '../../types/format.ts';
import { THINK } from '../../types/thinking.ts';
import { rawValue } from './qwen3-coder.ts';

const read = taggedBody({
  call: /<invoke name="?(?<name>[^">]{1,200})"?>/y,
  callEnd: '</invoke>',
  parameter: /<parameter name="?(?<key>[^">]{0,200})"?>/y,
  parameterEnd: '</parameter>',
  newlines: 'none',
});
const strings = [rawSpan('<parameter name=', '</parameter>')];

function invoke(call: BodyCall): string {
  const parameters = Object.entries(call.arguments).map(
    ([key, value]) => `<parameter name="${key}">${rawValue(value)}</parameter>\n`,
  );
  return `<invoke name="${call.name}">\n${parameters.join('')}</invoke>\n`;
}

/** MiniMax M2: invocations in a section, whose marks may be missing. */
export const minimaxM2: ChatFormat = {
  id: 'minimax-m2',
  when: ['<minimax:tool_call>', 'minimax:tool_call'],
  calls: [
    {
      opener: '<minimax:tool_call>',
      closer: '</minimax:tool_call>',
      strings,
      follows: { starts: /^\s{0,32}(?:[{[]|<invoke name=)/, may: /^\s{0,32}(?:<[a-z ]{0,11})?$/ },
      read,
    },
    {
      opener: '<invoke name=',
      closer: '</invoke>',
      strings,
      keepsOpener: true,
      follows: {
        starts: /^"?[\w.:-]{1,64}"?>\s{0,32}<(?:parameter name=|\/invoke>)/,
        may: /^"?[\w.:-]{0,64}"?(?:>\s{0,32}(?:<[a-z/ ]{0,15})?)?$/,
      },
      read,
    },
  ],
  callStructure: ['</minimax:tool_call>'],
  thinking: THINK,
  writeCalls: calls => `<minimax:tool_call>\n${calls.map(invoke).join('')}</minimax:tool_call>`,
  writeResult: content => `<response>${content}</response>`,
};
