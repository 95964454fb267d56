import { pythonicBody } from '../../bodies/pythonic-body.ts';
import { PYTHON_FOLLOWS, PYTHON_STRINGS } from '../../bodies/strings.ts';
import type { ChatFormat } from '../../types/format.ts';
import { jsonCall } from '../json/hermes.ts';

/**
 * Llama 3.1 to 3.3: the bare JSON of a call with `parameters`; several are separated by `;`. Built-in tools follow
 * `<|python_tag|>`, as JSON or as `tool.call(query="...")`.
 */
export const llama3: ChatFormat = {
  id: 'llama-3',
  when: ['<|python_tag|>', ['<|start_header_id|>', '"parameters"'], ['<|start_header_id|>', 'ipython']],
  calls: [
    {
      opener: '<|python_tag|>',
      closer: '<|eom_id|>',
      strings: PYTHON_STRINGS,
      follows: PYTHON_FOLLOWS,
      read: pythonicBody,
    },
  ],
  bare: true,
  bareLayout: { kind: 'object', name: 'name', arguments: 'parameters', before: ['type'] },
  thinking: [{ opener: '<think>', closer: '</think>' }],
  writeCalls: calls => calls.map(call => jsonCall(call, 'parameters')).join('; '),
  writeResult: content => content,
};
