import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MORE_TOOLS, readConversations } from '../../../../src/bench/tools/bfcl/read-conversations.ts';
import { bfclPlace } from '../../../fixtures/bfcl-place.ts';

test('a conversation has what the user says in turn, and its services', () => {
  const [first, ...others] = readConversations(bfclPlace().folder, 'multi_turn_base');
  expect(first).toEqual({
    id: 'multi_turn_base_0',
    category: 'multi_turn_base',
    messages: [],
    tools: [],
    expected: { kind: 'conversation' },
    conversation: {
      turns: ['Light in the hall, please.', 'Dim it to 40, and note that.'],
      services: ['LampAPI', 'NotesAPI'],
      withheld: new Map(),
    },
  });
  expect(others).toHaveLength(2);
});

test('a turn that only adds tools has the words of BFCL', () => {
  const [only] = readConversations(bfclPlace().folder, 'multi_turn_miss_func');
  expect(only?.conversation).toEqual({
    turns: ['Note the word moss.', MORE_TOOLS],
    services: ['LampAPI', 'NotesAPI'],
    withheld: new Map([[1, ['note']]]),
  });
});

test.each([
  ['{"id": ', /multi_turn_base\.json: line 1: /],
  ['{"id": "multi_turn_base_3"}', /multi_turn_base_3: /],
  ['{"id": "multi_turn_base_3", "question": [[]]}', /multi_turn_base_3: /],
])('data that cannot be read is told with its place: %s', (text, message) => {
  const { folder } = bfclPlace();
  writeFileSync(join(folder, 'BFCL_v4_multi_turn_base.json'), text);
  expect(() => readConversations(folder, 'multi_turn_base')).toThrow(message);
});
