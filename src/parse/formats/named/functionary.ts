import { nameThenJson } from '../../bodies/name-then-json.ts';
import { JSON_STRINGS } from '../../bodies/strings.ts';
import { writeJson } from '../../json/lenient-json.ts';
import type { ChatFormat } from '../../types/format.ts';

/** Functionary 3.1: the name in the tag. */
export const functionaryV31: ChatFormat = {
  id: 'functionary-v3.1',
  when: ['<function=example_function_name>', ['<function=', '</function>', 'ipython']],
  calls: [
    {
      opener: '<function=',
      closer: '</function>',
      strings: JSON_STRINGS,
      read: nameThenJson(/^(?<name>[^>\s{]+)>(?<args>[\s\S]*)$/),
      layout: { kind: 'named', between: '">"' },
    },
  ],
  thinking: [],
  writeCalls: calls =>
    calls.map(call => `<function=${call.name}>${writeJson(call.arguments)}</function>`).join(''),
  writeResult: content => content,
};

/** Functionary 3.2: every part of a reply has a recipient; `all` is the user. The prompt writes the first mark. */
export const functionaryV32: ChatFormat = {
  id: 'functionary-v3.2',
  when: ['>>>'],
  calls: [
    {
      opener: '>>>',
      bracketsAfter: '\n',
      strings: JSON_STRINGS,
      read: nameThenJson(/^(?<name>[^\s{]+)(?:\n(?<args>[\s\S]*))?$/),
      layout: { kind: 'named', between: '"\\n"' },
    },
  ],
  structure: ['>>>all\n'],
  implied: '>>>',
  thinking: [],
  writeCalls: calls => calls.map(call => `>>>${call.name}\n${writeJson(call.arguments)}`).join(''),
  writeResult: content => content,
};
