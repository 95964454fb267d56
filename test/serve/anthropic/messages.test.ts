import { expect, it } from 'vitest';
import { toMessages } from '../../../src/serve/anthropic/messages.ts';

const blocks = [
  { type: 'thinking', thinking: 'Where?', signature: 's' },
  { type: 'text', text: 'I look.' },
  { type: 'tool_use', id: 't1', name: 'look', input: { at: 1 } },
  { type: 'tool_use', id: 't2', name: 'look', input: { at: 2 } },
];
const before = { role: 'user', content: 'Go' } as const;
const after = {
  role: 'user',
  content: [
    { type: 'tool_result', tool_use_id: 't2', content: 'two' },
    { type: 'tool_result', tool_use_id: 't1', content: 'one' },
  ],
} as const;

it('messages of the assistant that follow each other are one turn, as in the API', () => {
  const one = toMessages([before, { role: 'assistant', content: blocks }, after], undefined);
  const parts = blocks.map(block => ({ role: 'assistant', content: [block] }) as const);
  expect(toMessages([before, ...parts, after], undefined)).toEqual(one);
  expect(one.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool']);
  const [, turn] = one;
  expect(turn).toMatchObject({ content: 'I look.', reasoning_content: 'Where?' });
  const texts = ['A', 'B'].map(content => ({ role: 'assistant', content }) as const);
  expect(toMessages([before, ...texts, before], undefined)[1]).toEqual({
    role: 'assistant',
    content: 'A\nB',
  });
});
